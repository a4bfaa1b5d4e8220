/** Returns the metrics of a store or of a host of sandboxes. */
export async function metricsText({ base }: { readonly base: string }): Promise<string> {
  return (await fetch(`${base}/metrics`)).text()
}

/** Returns the samples whose names begin with one of these, with their labels. */
export async function metricsOf(
  store: { readonly base: string },
  ...names: readonly string[]
): Promise<Record<string, number>> {
  const lines = (await metricsText(store))
    .split('\n')
    .filter(line => names.some(name => line.startsWith(name)))
  return Object.fromEntries(
    lines.map(line => {
      const end = line.lastIndexOf(' ')
      return [line.slice(0, end), Number(line.slice(end + 1))]
    }),
  )
}
