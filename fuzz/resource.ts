/** A resource that a virtual client has created. No other client changes it, so its client knows whether it exists. */
export interface Resource {
  /** The name of the path parameter that takes its id. */
  readonly kind: string
  readonly id: string
  /** The described path at which it was deleted. */
  deletedPath?: string
}
