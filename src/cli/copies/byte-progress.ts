import { SingleBar } from 'cli-progress'

const BYTES_PER_MIB = 1_048_576

interface ByteProgress extends Disposable {
  onProgress(done: number, total: number): void
}

/** Shows a bar of bytes on a terminal, and nothing otherwise. `done` is the number of bytes so far. */
export function showByteProgress(label: string): ByteProgress {
  const bar = new SingleBar({ format: `${label} {bar} {value} of {total} MiB`, hideCursor: true })
  const mib = (bytes: number): number => Math.ceil(bytes / BYTES_PER_MIB)
  return {
    onProgress: (done, total) => {
      if (!bar.isActive) bar.start(mib(total), 0)
      bar.setTotal(mib(Math.max(done, total)))
      bar.update(mib(done))
    },
    [Symbol.dispose]: () => bar.stop(),
  }
}

/** Shows a bar of bytes while files are hashed. `total` is their size, and `onBytes` takes the size of each chunk. */
export function showHashProgress(total: number): Disposable & { onBytes(count: number): void } {
  const { onProgress, ...bar } = showByteProgress('SHA-256')
  let hashed = 0
  return {
    ...bar,
    onBytes: count => {
      hashed += count
      onProgress(hashed, total)
    },
  }
}
