import { Alert, Button, Code, CopyButton, Group, Modal, Stack, Text } from '@mantine/core'
import { useFocusReturn } from './focus-return.ts'

interface SecretDialogProps {
  readonly title: string
  /** Says that the secret must be copied now. */
  readonly warning: string
  readonly secret: string
  /** What the secret is for. */
  readonly purpose?: string
  readonly onClose: () => void
}

/** Shows a secret once. Only the Done button closes the dialog, because the secret cannot be shown again. */
export function SecretDialog({ title, warning, secret, purpose, onClose }: SecretDialogProps) {
  useFocusReturn()
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
          {secret}
        </Code>
        {purpose && <Text size="sm">{purpose}</Text>}
        <Group justify="flex-end">
          <CopyButton value={secret}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
