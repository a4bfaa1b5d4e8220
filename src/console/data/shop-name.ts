/** The name of the shop on its receipts. */
export const shopName = contentOf('petstore-shop-name') ?? 'Petstore'
/** The version of the store. */
export const version = contentOf('petstore-version') ?? ''

function contentOf(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content
}
