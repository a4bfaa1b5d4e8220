import { useHotkeys } from '@mantine/hooks'

/** On a Mac, Option with a letter types another character, such as å. Only the place of the key is then known. */
const isMac = navigator.platform.startsWith('Mac')

/** Calls `onPress` at Alt, or Option, with a letter. */
export function useAltKey(letter: string, onPress: () => void): void {
  useHotkeys([[`alt+${letter}`, onPress, { usePhysicalKeys: isMac }]], [])
}
