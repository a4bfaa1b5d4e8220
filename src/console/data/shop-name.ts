/** The name of the shop on its receipts. */
export const shopName =
  document.querySelector<HTMLMetaElement>('meta[name="petstore-shop-name"]')?.content ?? 'Petstore'
