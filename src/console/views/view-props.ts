/** The properties of a view: the id in its address, or an empty text if the address has none. */
export interface ViewProps {
  readonly id: string
}
