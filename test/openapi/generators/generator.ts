/** One generator of clients or collections: shell commands that run in a scratch directory with openapi.yaml. */
export interface Generator {
  readonly name: string
  readonly version: string
  /** The tools that must be installed on this machine. */
  readonly needs: readonly string[]
  /** Installs the generator, in exactly this version. */
  readonly install: string
  /** The commands that generate the client or the collection, as a user types them. */
  readonly generate: string
  readonly compile: string
  /**
   * Runs the program. Every command can use `$BUN` and `$PROGRAM` (the folder of the program). Only this command can
   * also use `$BASE`, `$KEY` and `$SAMPLES`.
   */
  readonly run: string
  /** The lines that the program must print first; `expectedLines` by default. */
  readonly expected?: readonly string[]
  /** The path of the output. The lines of its source files are counted. */
  readonly code: string
  /** Information that a user needs before using the output. */
  readonly description?: string
}

/** The lines that every program with a client prints first, word for word. */
export const expectedLines: readonly string[] = [
  'listed 2 pets',
  'created Nimbus',
  'ordered 1',
  'refused insufficient_stock 409',
  'decoded pet category order inventory webhook',
]

/** The beginnings of the lines that report how a client handles large ids and unknown values. */
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

/** The samples that the programs decode without a request to the store: one JSON file for each. */
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
