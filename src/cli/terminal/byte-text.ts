const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'] as const
const STEP = 1024

/** Returns a number of bytes for people: `512 bytes`, `12.3 MiB`. */
export function byteText(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (value >= STEP && unit < UNITS.length - 1) {
    value /= STEP
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`
}
