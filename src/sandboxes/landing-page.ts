export const pageHeaders = {}
export function landingPage(base: string): string {
  return `<h1>${base}</h1>`
}
export function landingScript(): string {
  return ''
}
