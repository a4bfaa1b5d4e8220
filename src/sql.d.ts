declare module '*.sql' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: a file imported as text has only that
  export default text
}
