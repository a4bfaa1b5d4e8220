/**
 * Returns whether an option of a list is highlighted for the keyboard. A field keeps the name of an option that has
 * left the list.
 */
export function hasActiveOption(field: Element): boolean {
  const id = field.getAttribute('aria-activedescendant')
  return id !== null && document.getElementById(id) !== null
}
