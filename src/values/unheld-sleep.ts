/** Resolves after a time in milliseconds. It does not keep a process running that has nothing else to do. */
export function unheldSleep(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms).unref())
}
