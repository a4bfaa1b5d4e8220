/** The kinds of resources that an event or an entry of the audit log can be about, and where the console shows them. */
const paths: Readonly<Record<string, string>> = {
  pets: '/pets',
  inventory: '/pets',
  orders: '/orders',
  webhooks: '/webhooks',
}

const nouns: Readonly<Record<string, string>> = {
  pets: 'Pet',
  inventory: 'Stock of pet',
  orders: 'Order',
  categories: 'Category',
  webhooks: 'Webhook',
  keys: 'Key',
}

/** Returns the address of the view of a subject such as `orders/12`; undefined if it has none. */
export function subjectPath(subject: string): string | undefined {
  const [kind = '', id = ''] = subject.split('/')
  const path = paths[kind]
  return path === undefined ? undefined : `${path}/${id}`
}

/** Returns a change in words: `Order 12: completed` for `petstore.order.completed` of `orders/12`. */
export function changeText(type: string, subject: string): string {
  const [kind = '', id = ''] = subject.split('/')
  const verb = type.split('.').at(-1)?.replaceAll('-', ' ') ?? type
  return `${nouns[kind] ?? kind} ${id}: ${verb}`
}
