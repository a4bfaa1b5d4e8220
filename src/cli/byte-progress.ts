import { SingleBar } from 'cli-progress'

const BYTES_PER_MIB = 1_048_576

/** Shows a bar of bytes on a terminal, and nothing otherwise. */
export function showByteProgress(label: string): {
  onTotal(copied: number, total: number): void
  stop(): void
} {
  const bar = new SingleBar({
    format: `${label} {bar} {value} of {total} MiB`,
    hideCursor: true,
    noTTYOutput: false,
  })
  const isTerminal = process.stderr.isTTY === true
  const mib = (bytes: number): number => Math.ceil(bytes / BYTES_PER_MIB)
  return {
    onTotal: (copied, total) => {
      if (!isTerminal) return
      if (!bar.isActive) bar.start(mib(total), 0)
      bar.setTotal(mib(Math.max(copied, total)))
      bar.update(mib(copied))
    },
    stop: () => bar.stop(),
  }
}
