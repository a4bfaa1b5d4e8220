import { Alert, Button, Fieldset, Group, Modal, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import {
  type FocusEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  type SubmitEvent,
  useEffect,
  useRef,
  useState,
} from 'react'
import {
  type Changing,
  isConflict,
  type MakeChange,
  readPageAgain,
  UnknownOutcome,
  useChange,
} from '../../data/change.ts'
import { isKeyRefused, textOf } from '../../data/query-client.ts'
import { t } from '../../words/sentences.tsx'
import { fieldErrors, Refusal, sentenceOf } from '../names/refusal.tsx'
import { focusOnce, useFocusReturn } from './focus-return.ts'
import { type Look, UnknownAlert } from './unknown-alert.tsx'
import { useGuardedPage } from './unload-warning.ts'

/** How long a change runs before the dialog offers to stop waiting, in milliseconds. */
const LONG_MS = 1000

export interface DialogProps {
  readonly onClose: () => void
}

/** The properties of a dialog that creates a secret, which the page then shows once. */
export interface SecretFormProps extends DialogProps {
  readonly onCreated: (secret: string) => void
}

type Messages = Readonly<Record<string, string>>

interface FormDialogProps<Result, Values> extends DialogProps {
  /** The name of the change: `sell`. */
  readonly name: string
  readonly title: string
  /** The text of the button that submits, such as `Add pet`. */
  readonly action: string
  /** The text of the button that closes the dialog without a change; `Cancel` by default. */
  readonly cancel?: string
  /** The text of a second button that submits too, and opens the dialog again, such as `Sell another`. */
  readonly another?: string
  /** The notification after success, such as `Order placed`, or a function that shows one. */
  readonly done: string | ((result: Result) => void)
  /** The notification instead of `done` if the user left the page before the change was made. */
  readonly doneUnseen?: string
  /** Whether the action deletes or revokes something. If so, its button is red. */
  readonly isDestructive?: boolean
  /**
   * The form of the dialog, if it has one. If something was entered, only Cancel closes the dialog without a question.
   * The messages about a value appear only at its field.
   */
  readonly form?: Form<Values>
  /** Returns the problems that the store cannot see, by the name of the value. If there are any, nothing is sent. */
  readonly check?: () => Messages
  /** Makes the change from the values. The dialog sends the same one until its outcome is known. */
  readonly make: MakeChange<Result>
  /** Where the user can see whether a change with an unknown outcome was made. */
  readonly look: Look
  /** A question, or the fields of the form. `show` replaces the messages at the fields. */
  readonly children: ReactNode | ((field: FieldOf<Values>, show: (problems: Messages) => void) => ReactNode)
  /**
   * Shown instead of the refusal if the resource was changed since it was read (412), after `read` has read it again.
   * Without it, the refusal itself is shown.
   */
  readonly conflict?: { readonly shown: ReactNode; readonly read: () => Promise<void> }
  /** Called after the change, when the dialog is closed. Not called if the user has left the page by then. */
  readonly onDone?: (result: Result) => void
  /** Called in place of `onClose` after a change that was submitted with the button `another`. */
  readonly onAnother?: () => void
}

/**
 * A dialog with a form for one change. It stays open until the change is made, or until the user closes it. From the
 * click until the outcome is known, it shows the values that were sent, and they cannot be changed.
 */
export function FormDialog<Result, Values extends object = object>(props: FormDialogProps<Result, Values>) {
  const { title, form, check, make, children, conflict, look, onClose } = props
  useFocusReturn()
  const anotherButton = useRef<HTMLButtonElement>(null)
  const isForAnother = useRef(false)
  const change = useDialogChange(props, isForAnother)
  const { error, isRunning, unknown } = change
  const isSent = isRunning || unknown !== undefined
  const [problems, setProblems] = useState<Messages>({})
  const leaving = useLeaving(textOf(form?.values), change, onClose)
  const show = (found: Messages): void => {
    setProblems(found)
    change.reset()
  }
  const contentWith = (errors: Messages): ReactNode =>
    typeof children === 'function' ? form && children(fieldsOf(form, errors), show) : children
  const [sentContent, setSentContent] = useState<ReactNode>()
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    // In React, the event would also reach a form around the dialog, and submit it.
    event.stopPropagation()
    if (isSent) return
    const found = check?.() ?? {}
    if (Object.keys(found).length > 0) show(found)
    else {
      setProblems({})
      isForAnother.current = event.nativeEvent.submitter === anotherButton.current
      setSentContent(contentWith({}))
      change.start(make)
    }
  }
  const errors: Messages = { ...fieldErrors(error, form?.labels), ...problems }
  return (
    <Modal
      opened
      onClose={isRunning ? () => {} : leaving.close}
      title={title}
      closeButtonProps={{ 'aria-label': t('Close'), disabled: isRunning }}
    >
      <form onSubmit={onSubmit} onInput={leaving.noteInput} onFocus={leaving.noteFocus} noValidate>
        <Stack>
          <Fieldset variant="unstyled" disabled={isSent}>
            <Stack>{isSent ? sentContent : contentWith(errors)}</Stack>
          </Fieldset>
          {(isConflict(error) && conflict?.shown) || <Refusal error={error} labels={form?.labels} />}
          <UnknownAlert change={change} look={look} />
          {leaving.isAsking && (
            <LeaveQuestion isUnclear={unknown !== undefined} onStay={leaving.stay} onLeave={onClose} />
          )}
          <Buttons {...props} change={change} anotherButton={anotherButton} lastField={leaving.lastField} />
        </Stack>
      </form>
    </Modal>
  )
}

/**
 * Returns what a dialog does when the user presses Escape, clicks outside it, or clicks its close button. It closes if
 * nothing was entered, and otherwise asks. A second attempt returns to the form.
 */
function useLeaving(
  values: string,
  { isRunning, unknown }: Pick<Changing<unknown>, 'isRunning' | 'unknown'>,
  onClose: () => void,
) {
  const isUnclear = unknown !== undefined
  const [firstValues] = useState(values)
  // A field can contain text without a value, such as letters in a field for a number.
  const [hasInput, setHasInput] = useState(false)
  const [isAsking, setIsAsking] = useState(false)
  const lastField = useRef<HTMLElement>(null)
  const stay = (): void => {
    setIsAsking(false)
    lastField.current?.focus()
  }
  const isFilled = hasInput || values !== firstValues || isUnclear
  // A change that is being sent is reported on the next page, so it may be left.
  useGuardedPage(isFilled && !isRunning, () => setIsAsking(true))
  return {
    isAsking,
    lastField,
    noteInput: () => setHasInput(true),
    noteFocus: ({ target }: FocusEvent<HTMLElement>) => {
      if (!isAsking) lastField.current = target
    },
    close: () => {
      if (!isFilled) return onClose()
      if (isAsking) stay()
      else setIsAsking(true)
    },
    stay,
  }
}

interface LeaveQuestionProps {
  /** Whether the outcome of a change is not known. */
  readonly isUnclear: boolean
  readonly onStay: () => void
  readonly onLeave: () => void
}

function LeaveQuestion({ isUnclear, onStay, onLeave }: LeaveQuestionProps) {
  const title = isUnclear
    ? t('Close this, although the change may have been made?')
    : t('Throw away what you entered?')
  return (
    <Alert color="yellow" role="alert" title={title}>
      <Group>
        <Button size="xs" variant="default" onClick={onStay} ref={focusOnce}>
          {isUnclear ? t('Stay') : t('Keep editing')}
        </Button>
        <Button size="xs" variant="default" onClick={onLeave}>
          {isUnclear ? t('Close it') : t('Throw it away')}
        </Button>
      </Group>
    </Alert>
  )
}

interface DialogChange<Result> extends Changing<Result> {
  /** Whether the change was made, so that only the page is read again while `isRunning` is true. */
  readonly isMade: boolean
}

/** Returns the change of a dialog. It reports the result even if the user has left the page by then. */
function useDialogChange<Result, Values>(
  props: FormDialogProps<Result, Values>,
  isForAnother: RefObject<boolean>,
): DialogChange<Result> {
  const { name, done, doneUnseen = done, conflict, onClose, onDone, onAnother = onClose } = props
  const queries = useQueryClient()
  const [isMade, setIsMade] = useState(false)
  const change = useChange<Result>(name, {
    onConflict: conflict?.read,
    onDone: async (result, isShown) => {
      setIsMade(true)
      const staysOnPage = isShown && !onDone
      // Otherwise the next dialog on the page could open with the replaced version, and report the user's own change.
      if (staysOnPage) await readPageAgain(queries)
      if (isShown) {
        if (isForAnother.current) onAnother()
        else onClose()
        onDone?.(result)
      }
      const note = isShown ? done : doneUnseen
      if (typeof note === 'function') note(result)
      else notifications.show({ message: note })
      if (!staysOnPage) await queries.invalidateQueries()
    },
    onFailed: (error, isShown) => {
      if (error instanceof UnknownOutcome) void queries.invalidateQueries()
      // The sign-in page says that the key was refused.
      if (isShown || isKeyRefused(error)) return
      notifications.show({ color: 'red', message: sentenceOf(error, props.form?.labels) })
    },
  })
  return { ...change, isMade }
}

interface ButtonsProps<Result>
  extends Pick<
    FormDialogProps<Result, unknown>,
    'action' | 'another' | 'cancel' | 'isDestructive' | 'onClose'
  > {
  readonly change: DialogChange<Result>
  readonly anotherButton: RefObject<HTMLButtonElement | null>
  /** The element of the form that had the focus last. */
  readonly lastField: RefObject<HTMLElement | null>
}

function Buttons<Result>(props: ButtonsProps<Result>) {
  const { action, another, cancel, isDestructive, onClose, change, anotherButton, lastField } = props
  const { isRunning, isMade, error, unknown, stop } = change
  // A change that was made cannot be stopped.
  const canStop = useIsLong(isRunning) && !isMade
  // A running change disables the fields and buttons, which takes the focus away from them.
  useEffect(() => {
    if (error && document.activeElement === document.body) lastField.current?.focus()
  }, [error, lastField])
  // The alert has the buttons for a change whose outcome is not known.
  if (unknown) return null
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={isRunning ? stop : onClose} disabled={isRunning && !canStop}>
        {isRunning && canStop ? t('Stop waiting') : (cancel ?? t('Cancel'))}
      </Button>
      <Button
        type="submit"
        loading={isRunning}
        onClick={ignoreSecondClick}
        {...(isDestructive && { color: 'red' })}
      >
        {action}
      </Button>
      {another !== undefined && (
        <Button
          ref={anotherButton}
          type="submit"
          variant="light"
          disabled={isRunning}
          onClick={ignoreSecondClick}
        >
          {another}
        </Button>
      )}
    </Group>
  )
}

/** Ignores the second click of a double click, which may arrive after the response to the first click. */
function ignoreSecondClick(event: MouseEvent): void {
  if (event.detail > 1) event.preventDefault()
}

/** Returns whether something has been running for `LONG_MS`. */
function useIsLong(isRunning: boolean): boolean {
  const [isLong, setIsLong] = useState(false)
  useEffect(() => {
    if (!isRunning) return
    const timer = setTimeout(() => setIsLong(true), LONG_MS)
    return () => {
      clearTimeout(timer)
      setIsLong(false)
    }
  }, [isRunning])
  return isLong
}

/** The values of a form, and the label of the field for each. */
interface Form<Values> {
  readonly values: Values
  readonly labels: Readonly<Record<keyof Values, string>>
  readonly set: (changed: Partial<Values>) => void
}

/** A form whose values have the names of the members of the body, so that the store's messages are at their fields. */
export function useForm<Values extends object>(
  first: Values,
  labels: Readonly<Record<keyof Values, string>>,
): Form<Values> {
  const [values, setValues] = useState(first)
  return { values, labels, set: changed => setValues(current => ({ ...current, ...changed })) }
}

/** Returns the properties of the field for one value. `errors` has the messages by the name of the value. */
export type FieldOf<Values> = <Name extends keyof Values & string>(name: Name) => Field<Values[Name]>

export interface Field<Value> {
  readonly label: string
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly error: string | undefined
}

function fieldsOf<Values>(
  { values, labels, set }: Form<Values>,
  errors: Readonly<Record<string, string>>,
): FieldOf<Values> {
  return name => ({
    label: labels[name],
    value: values[name],
    // Safe: the value has the type of the member with this name.
    onChange: value => set({ [name]: value } as unknown as Partial<Values>),
    error: errors[name],
  })
}
