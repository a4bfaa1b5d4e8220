/** A resource that a virtual client has created. No other client changes it, so its creator knows whether it exists. */
export interface Resource {
  /** The name of the path parameter that takes the id. */
  readonly kind: string
  readonly id: string
  /** The described path at which the resource was deleted; absent while it exists. */
  deletedPath?: string
}
