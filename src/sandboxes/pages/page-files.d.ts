// The style sheet and the scripts of the pages are imported as texts.
declare module '*.css' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: a text import has only a default export
  export default text
}
declare module '*.browser.js' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: a text import has only a default export
  export default text
}
