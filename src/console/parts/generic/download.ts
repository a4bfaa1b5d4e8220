/** How long a browser may take until it reads what it saves, in milliseconds. */
const READ_MS = 60_000

/** Saves a text as a CSV file with this name. */
export function downloadCsv(text: string, name: string): void {
  downloadFile(new Blob([text], { type: 'text/csv' }), name)
}

/** Saves a file with this name. */
export function downloadFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), READ_MS)
}
