const CHECK_MS = 5

/** Resolves once a condition holds; throws if it does not hold in time. */
export async function until(
  what: string,
  isMet: () => boolean | Promise<boolean>,
  limitMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await isMet())) {
    if (performance.now() > deadline) throw new Error(`after ${limitMs} ms this is not true: ${what}`)
    await Bun.sleep(CHECK_MS)
  }
}
