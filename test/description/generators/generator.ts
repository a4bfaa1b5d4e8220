/** One client generator: shell lines that run in a scratch directory, where openapi.yaml is. */
export interface Generator {
  readonly name: string
  readonly version: string
  /** The tools that must be installed on this machine. */
  readonly needs: readonly string[]
  /** Fetches the generator, at exactly this version. */
  readonly install: string
  /** As a reader would type it. */
  readonly generate: string
  readonly compile: string
  /** Runs the program; `$BASE`, `$KEY` and `$SAMPLES` are set. */
  readonly run: string
  /** What the program prints, where it is not the session of the clients. */
  readonly expected?: readonly string[]
  /** Where the generated code is, for counting its lines. */
  readonly code: string
  /** What a reader must know before using the output. */
  readonly description?: string
}

/** The lines that every program prints first, word for word. */
export const expectedLines: readonly string[] = [
  'listed 2 pets',
  'created Nimbus',
  'ordered 1',
  'refused insufficient_stock 409',
  'decoded pet category order inventory webhook',
]

/** The lines that say what a client does with what it does not know: their beginnings. */
export const observedLines = ['id', 'event member', 'event type', 'pet member'] as const

const event = {
  specversion: '1.0',
  id: '731',
  source: 'http://127.0.0.1:8080',
  time: '2026-11-21T09:30:00.120Z',
  datacontenttype: 'application/json',
  sequence: '0000000000000000731',
}
const pet = { id: 3, name: 'Biscuit', categoryId: 1, status: 'available' }
const petEvent = { ...event, type: 'petstore.pet.created', subject: 'pets/3', data: pet }

/** What the programs decode without asking the store for it: one file of JSON for each. */
export const samples: Readonly<Record<string, unknown>> = {
  'event-webhook': {
    ...event,
    type: 'petstore.webhook.disabled',
    subject: 'webhooks/1',
    data: {
      id: 1,
      url: 'https://till.example',
      enabled: false,
      disabledReason: 'gone',
      createdAt: event.time,
    },
  },
  'event-unknown-member': { ...petEvent, colour: 'red' },
  'event-unknown-type': { ...petEvent, type: 'petstore.pet.groomed' },
  'pet-unknown-member': { ...pet, colour: 'red' },
}
