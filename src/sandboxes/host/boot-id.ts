import { existsSync, readFileSync } from 'node:fs'
import { uptime } from 'node:os'

const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id'
/** Two calculations of when the machine was booted can differ by this much, in seconds. */
const BOOT_PRECISION_SECONDS = 60

/** Returns a text that changes when the machine is booted. A change without a boot only causes a needless check. */
export function readBootId(): string {
  if (existsSync(BOOT_ID_FILE)) return readFileSync(BOOT_ID_FILE, 'utf8').trim()
  return String(Math.round((Date.now() / 1000 - uptime()) / BOOT_PRECISION_SECONDS))
}
