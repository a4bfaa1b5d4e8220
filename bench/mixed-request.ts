import type { WholeReply } from './reply-reader.ts'

/** The kinds of requests of a busy shop, and their shares. */
const shares = {
  getPet: 0.6,
  listPets: 0.2,
  placeOrder: 0.1,
  getOrder: 0.05,
  setInventory: 0.05,
} as const
export type MixedKind = keyof typeof shares
export const mixedKinds: readonly MixedKind[] = [
  'getPet',
  'listPets',
  'placeOrder',
  'getOrder',
  'setInventory',
]

/** The maximum number of remembered targets of next pages, which later requests read. */
const NEXT_TARGETS_MAX = 256
const LIMITS = [5, 20, 50, 100]
const STATUSES = ['available', 'pending', 'sold']
const SORTS = ['id', '-id', 'name', '-name']
const DEMO_CATEGORIES = 16
/** The minimum quantity that `setInventory` sets. All orders together reserve less, so no request is refused. */
const QUANTITY_MIN = 900_000_000

export interface MixedRequest {
  readonly kind: MixedKind
  readonly text: string
}

/** Makes requests at random. It learns cursors and order ids from the replies. */
export class MixedRequests {
  readonly #head: string
  readonly #petIdFirst: number
  readonly #pets: number
  readonly #nextTargets: string[] = []
  #lastOrderId = 0

  constructor(options: { host: string; adminKey: string; petIdFirst: number; pets: number }) {
    this.#head = `Host: ${options.host}\r\nAccept: application/json\r\nAuthorization: Bearer ${options.adminKey}\r\n`
    this.#petIdFirst = options.petIdFirst
    this.#pets = options.pets
  }

  next(): MixedRequest {
    const kind = this.#kind()
    switch (kind) {
      case 'getPet':
        return { kind, text: this.#get(`/pets/${this.#petId()}`) }
      case 'listPets':
        return { kind, text: this.#get(this.#listTarget()) }
      case 'getOrder':
        // The ids of orders start at 1 and have no gaps, and no order is cancelled.
        return { kind, text: this.#get(`/store/orders/${1 + below(this.#lastOrderId)}`) }
      case 'placeOrder':
        return { kind, text: this.#send('POST /store/orders', `{"petId":${this.#petId()},"quantity":1}`) }
      case 'setInventory': {
        const body = `{"quantity":${QUANTITY_MIN + below(1_000_000)}}`
        return { kind, text: this.#send(`PUT /store/inventory/${this.#petId()}`, body) }
      }
    }
  }

  learn(kind: MixedKind, reply: WholeReply): void {
    if (kind === 'placeOrder') {
      const id = Number(/"id":(\d+)/.exec(reply.text())?.[1])
      this.#lastOrderId = Math.max(this.#lastOrderId, id)
    }
    if (kind !== 'listPets') return
    const [, target] = /<http:\/\/[^/]+([^>]+)>; rel="next"/.exec(reply.text()) ?? []
    if (target !== undefined) this.#nextTargets[below(NEXT_TARGETS_MAX)] = target
  }

  #kind(): MixedKind {
    let rest = Math.random()
    for (const kind of mixedKinds) {
      rest -= shares[kind]
      // Until there is an order, a pet is read instead.
      if (rest < 0) return kind === 'getOrder' && this.#lastOrderId === 0 ? 'getPet' : kind
    }
    return 'getPet'
  }

  /** Returns the target of a list. About half of the targets continue an earlier list. */
  #listTarget(): string {
    const next = this.#nextTargets[below(NEXT_TARGETS_MAX)]
    if (next !== undefined && below(2) === 0) return next
    const query = [`limit=${pick(LIMITS)}`]
    if (below(2) === 0) query.push(`status=${pick(STATUSES)}`)
    if (below(3) === 0) query.push(`categoryId=${1 + below(DEMO_CATEGORIES)}`)
    if (below(4) === 0) query.push('include=stock')
    if (below(4) === 0) query.push(`name=bench%20pet%20${below(this.#pets)}`)
    else if (below(2) === 0) query.push(`sort=${pick(SORTS)}`)
    return `/pets?${query.join('&')}`
  }

  #petId(): number {
    return this.#petIdFirst + below(this.#pets)
  }

  #get(target: string): string {
    return `GET ${target} HTTP/1.1\r\n${this.#head}\r\n`
  }

  #send(line: string, body: string): string {
    return (
      `${line} HTTP/1.1\r\n${this.#head}Content-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`
    )
  }
}

function below(count: number): number {
  return Math.floor(Math.random() * count)
}

function pick<T>(values: readonly T[]): T | undefined {
  return values[below(values.length)]
}
