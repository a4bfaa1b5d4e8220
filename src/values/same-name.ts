/** A known name that a given name means, and in what they differ. */
interface NameMatch<Item> {
  readonly item: Item
  /** `form` if only the Unicode form differs, as between files of a Mac and others; `case` if the case does too. */
  readonly differsIn: 'nothing' | 'form' | 'case'
  /** Whether other known names are equal to it, so that the first of them was chosen. */
  readonly isShared: boolean
}

/** Returns the form in which names are compared: canonically equal texts (NFC) are one name. */
export function nameForm(name: string): string {
  return name.normalize('NFC')
}

/** Printable ASCII without the three characters of which Unicode has another form, such as the sign of Kelvin. */
const ONE_FORM = /^[ -:<-JL-_a-~]*$/

/** Returns whether no other text is canonically equal to a name. False does not mean that there is one. */
export function hasOneForm(name: string): boolean {
  return ONE_FORM.test(name)
}

/** Returns the form in which names are compared without case. Each code point is lower-cased alone, as in `nameKey`. */
export function caselessForm(name: string): string {
  return [...nameForm(name)].map(point => point.toLowerCase()).join('')
}

/**
 * Returns the known name that is exactly `name`; otherwise the only one in another Unicode form; otherwise, unless
 * `withCase`, the only one that differs in case. Of equal names, it is the first one. Returns `several` if the name is
 * ambiguous.
 */
export function matchName<Item extends { readonly name: string }>(
  name: string,
  known: readonly Item[],
  { withCase }: { readonly withCase: boolean },
): NameMatch<Item> | 'none' | 'several' {
  const levels = [
    { differsIn: 'nothing', form: (text: string) => text },
    { differsIn: 'form', form: nameForm },
    ...(withCase ? [] : [{ differsIn: 'case', form: caselessForm } as const]),
  ] as const
  for (const { differsIn, form } of levels) {
    const wanted = form(name)
    const [item, ...others] = known.filter(other => form(other.name) === wanted)
    if (!item) continue
    if (others.some(other => nameForm(other.name) !== nameForm(item.name))) return 'several'
    return { item, differsIn, isShared: others.length > 0 }
  }
  return 'none'
}
