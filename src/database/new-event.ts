/** The part of a stored event that the hash chain covers. `data` is JSON text; `at` is in the stored form. */
export interface EventRecord {
  readonly id: bigint
  readonly type: string
  readonly subject: string
  readonly subjectVersion: bigint
  readonly data: string
  /** The id of the key that made the change; null for the store itself. */
  readonly keyId: bigint | null
  readonly requestId: string
  readonly at: string
  /** The trace of the request that made the change; null if it named none. */
  readonly traceparent: string | null
}

/** An event as a verb records it, before it has a position. */
export interface NewEvent extends EventRecord {
  /** The pet that the event is about; null if it is about none. */
  readonly petId: bigint | null
}

/** The changes of totals, by the name of the total. The shop decides what each total counts. */
export type TotalChanges = Readonly<Record<string, bigint>>
