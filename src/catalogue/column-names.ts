/**
 * What other programs and people call our columns, in English, German, French and Spanish, as `plainName` writes it.
 * Words that may mean something else, such as "Available", are not among them.
 */
const otherNames: Readonly<Record<string, string>> = {
  name:
    'article item itemname product productname title artikel artikelname artikelbezeichnung bezeichnung produkt ' +
    'produktname nom nomduproduit désignation produit titre nombre nombredelproducto artículo producto título',
  category:
    'productcategory categoryname kategorie warengruppe produktgruppe artikelgruppe catégorie famille rubrique ' +
    'categoría familia',
  description: 'beschreibung descripción',
  quantity:
    'qty stock instock stocklevel onhand quantityonhand bestand lagerbestand menge anzahl stück stückzahl qté quantité ' +
    'existencias cantidad unidades',
  hold: 'onhold blocked gesperrt sperre bloqué bloqueado',
  reorderAt:
    'reorderlevel reorderpoint minimumstock minstock lowstock meldebestand mindestbestand stockminimum seuildalerte ' +
    'stockmínimo',
  price:
    'unitprice retailprice saleprice sellingprice preis vk vkpreis vkbrutto verkaufspreis stückpreis einzelpreis prix ' +
    'prixdevente prixunitaire precio preciodeventa preciounitario pvp',
  barcode:
    'ean ean8 ean13 eancode gtin gtin13 upc upca upccode gtinupceanorisbn barcodenumber variantbarcode strichcode strichcodenummer codebarres ' +
    'codeàbarres códigodebarras',
}

const columnOf: ReadonlyMap<string, string> = new Map(
  Object.entries(otherNames).flatMap(([column, names]) =>
    names.split(' ').map((name): [string, string] => [name, column]),
  ),
)

/** A currency after a name. Other words in round brackets change the meaning: "Price (cost)". */
const CURRENCY = /\((?:€|\$|£|eur|usd|chf|gbp)\)$/

/** Returns the name of a column without case, blanks and signs, and without a place, as in "In stock [Shop]". */
function plainName(name: string): string {
  const text = name.normalize('NFC').toLowerCase().trim()
  return (text.endsWith(']') ? text.slice(0, text.lastIndexOf('[')) : text)
    .replace(CURRENCY, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** Returns whether a name is that of a column, without case, blanks, `-` and `_`. */
export function isOwnName(name: string, column: string): boolean {
  return name.toLowerCase().replaceAll(/[\s_-]/g, '') === column.toLowerCase()
}

/** Returns which of the known columns a name means; undefined if none. */
export function columnMeantBy(name: string, known: readonly string[]): string | undefined {
  const column = known.find(one => isOwnName(name, one)) ?? columnOf.get(plainName(name))
  return column !== undefined && known.includes(column) ? column : undefined
}
