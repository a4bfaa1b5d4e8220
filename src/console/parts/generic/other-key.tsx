import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useSession } from '../../data/session-context.ts'
import { Name } from '../names/names.tsx'

interface OtherKeyProps {
  readonly onUse: () => void
  readonly onClose: () => void
}

/** Asks whether a link with another key may end the session: somebody else may have made the link. */
export function OtherKey({ onUse, onClose }: OtherKeyProps) {
  const { info } = useSession()
  return (
    <Modal opened onClose={onClose} title="Sign in with another key?" withCloseButton={false}>
      <Stack>
        <Text>
          The link that you opened has another key than this session, which uses the key{' '}
          <Name name={info.name} id={info.id} />. Use the other key only if you trust the link: the store
          records what you do under it.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onUse}>
            Use the other key
          </Button>
          <Button onClick={onClose} data-autofocus>
            Stay signed in
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
