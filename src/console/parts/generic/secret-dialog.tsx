import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { t } from '../../words/sentences.tsx'
import { useFocusReturn } from './focus-return.ts'
import type { DialogProps } from './form-dialog.tsx'
import { useGuardedPage } from './unload-warning.ts'

export interface SecretDialogProps extends DialogProps {
  readonly title: string
  /** Says that the secret must be copied now. */
  readonly warning: string
  readonly secret: string
  /** What the secret is for. */
  readonly purpose?: string
  /** Says what may be wrong with the thing whose secret it is. */
  readonly problem?: string | undefined
  /** Other ways to bring the secret to its place. */
  readonly children?: ReactNode
}

/** Shows a secret once. Only the Done button closes the dialog, because the secret cannot be shown again. */
export function SecretDialog({
  title,
  warning,
  secret,
  purpose,
  problem,
  children,
  onClose,
}: SecretDialogProps) {
  useFocusReturn()
  // The dialog stays, and its warning says why.
  useGuardedPage(true)
  const text = useRef<HTMLElement>(null)
  const [isCopied, setCopied] = useState<boolean>()
  const copy = async (): Promise<void> => {
    if (text.current) setCopied(await copyText(text.current))
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="yellow">{warning}</Alert>
        <Code block className="name" data-testid="secret">
          <span ref={text}>{secret}</span>
        </Code>
        {isCopied === false && (
          <Alert color="red" role="alert">
            {t('The browser does not allow copying. The text is selected: press Ctrl+C, or ⌘C on a Mac.')}
          </Alert>
        )}
        {problem !== undefined && <Alert color="yellow">{problem}</Alert>}
        {purpose && <Text size="sm">{purpose}</Text>}
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => void copy()}>
            {isCopied ? t('Copied') : t('Copy')}
          </Button>
          <Button onClick={onClose}>{t('Done')}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/**
 * Copies the text of an element, and returns whether that worked. Without HTTPS, browsers have only the older command,
 * which copies the selection. If it fails, the text stays selected, so that the user can copy it.
 */
export async function copyText(element: HTMLElement): Promise<boolean> {
  getSelection()?.selectAllChildren(element)
  try {
    await navigator.clipboard.writeText(element.textContent)
    return true
  } catch {
    return document.execCommand('copy')
  }
}
