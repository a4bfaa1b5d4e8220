const LOOK_MS = 5

/** Resolves when something is so; throws when it is not within the time. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  limitMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`after ${limitMs} ms it is still not so that ${what}`)
    await Bun.sleep(LOOK_MS)
  }
}
