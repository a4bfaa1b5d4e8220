/** The sort orders of the lists whose rows have an id and a name. */
export const nameSorts = [
  { value: 'id', label: 'Oldest first' },
  { value: '-id', label: 'Newest first' },
  { value: 'name', label: 'Name, A to Z' },
  { value: '-name', label: 'Name, Z to A' },
] as const
