const LOOK_MS = 5

/** Resolves once a condition holds; throws if it does not hold in time. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  limitMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`after ${limitMs} ms this is not true: ${what}`)
    await Bun.sleep(LOOK_MS)
  }
}
