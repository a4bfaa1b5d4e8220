import { KEY_RANDOM_BYTES, keyText } from '../../src/model/key.ts'
import type { TestHostOptions } from '../support/sandbox-host.ts'

/** Broken on purpose: the options of a host that gives all sandboxes the same key. */
export const sharedKey: TestHostOptions = { newKey: () => keyText(new Uint8Array(KEY_RANDOM_BYTES).fill(5)) }
