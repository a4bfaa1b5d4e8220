const CHECK_MS = 5

/** Resolves once a condition is met; throws an error with its description if it is not met in time. */
export async function until(
  condition: string,
  isMet: () => boolean | Promise<boolean>,
  limitMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await isMet())) {
    if (performance.now() > deadline) throw new Error(`after ${limitMs} ms this is not true: ${condition}`)
    await Bun.sleep(CHECK_MS)
  }
}
