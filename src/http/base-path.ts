/** Returns the path of a base URL, such as `/shop` for `https://pets.example/shop`, without a trailing slash. */
export function basePath(base: string): string {
  return new URL(base).pathname.replace(/\/$/, '')
}
