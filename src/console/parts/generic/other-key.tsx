import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useSession } from '../../data/session-context.ts'
import { rich, t } from '../../words/sentences.tsx'
import { Name } from '../names/names.tsx'

interface OtherKeyProps {
  readonly onUse: () => void
  readonly onClose: () => void
}

/** Asks whether a link with another key may end the session: somebody else may have made the link. */
export function OtherKey({ onUse, onClose }: OtherKeyProps) {
  const { info } = useSession()
  return (
    <Modal opened onClose={onClose} title={t('Sign in with another key?')} withCloseButton={false}>
      <Stack>
        <Text>
          {rich(
            'The link that you opened has another key than this session, which uses the key {key}. Use the other key only if you trust the link: the store records what you do under it.',
            { key: <Name name={info.name} id={info.id} /> },
          )}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onUse}>
            {t('Use the other key')}
          </Button>
          <Button onClick={onClose} data-autofocus>
            {t('Stay signed in')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
