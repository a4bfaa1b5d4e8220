const CHECK_MS = 5

/** Resolves once `isMet` returns true. Throws an error with the description if that takes longer than `limitMs`. */
export async function until(
  description: string,
  isMet: () => boolean | Promise<boolean>,
  limitMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await isMet())) {
    if (performance.now() > deadline) throw new Error(`after ${limitMs} ms this is not true: ${description}`)
    await Bun.sleep(CHECK_MS)
  }
}
