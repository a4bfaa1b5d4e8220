import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { DESCRIPTIONS, lastRelease, readKept } from '../releases/release.ts'
import { ROOT } from '../support/root.ts'
import { breakingChanges } from './breaking-changes.ts'
import { partAt, readDocument } from './document.ts'

const text = readFileSync(join(ROOT, 'openapi.yaml'), 'utf8')
const parsed: unknown = parse(text)
const current = readDocument(parsed)
const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')

/**
 * Returns the changes for which no line of the changelog contains the word Breaking and the operationId of the change.
 */
function unmentioned(changes: readonly string[], log: string): string[] {
  const lines = log.split('\n').filter(line => line.includes('Breaking'))
  return changes.filter(change => !lines.some(line => line.includes(`\`${change.split(' ')[0]}\``)))
}

test.each(DESCRIPTIONS)(
  'every breaking change of %s since the last release has a line in CHANGELOG.md',
  file => {
    const after = readDocument(parse(readFileSync(join(ROOT, file), 'utf8')))
    const changes = breakingChanges({ before: readDocument(parse(readKept(lastRelease, file))), after })
    expect(unmentioned(changes, changelog)).toEqual([])
  },
)

describe('control: breaking changes', () => {
  const change = (edit: (document: unknown) => void): string[] => {
    const document: unknown = structuredClone(parsed)
    edit(document)
    return breakingChanges({ before: current, after: readDocument(document) })
  }
  const schema = (document: unknown, name: string): object => partAt(document, `#/components/schemas/${name}`)

  test('control: a breaking change is found if an operation is removed', () => {
    const changes = change(document => Reflect.deleteProperty(partAt(document, '#/paths/~1pets'), 'post'))
    expect(changes).toEqual(['createPet is gone'])
  })

  test('control: a breaking change is found if a body member becomes required, becomes narrower or is removed', () => {
    const required = change(document =>
      Reflect.set(schema(document, 'NewOrder'), 'required', ['petId', 'quantity']),
    )
    expect(required).toEqual(['placeOrder body: quantity is required now'])
    const narrower = change(document => {
      Reflect.set(partAt(document, '#/components/schemas/NewOrder/properties/quantity'), 'maximum', 10)
    })
    expect(narrower).toEqual(['placeOrder body/quantity: maximum is 10 now'])
    const gone = change(document => {
      Reflect.deleteProperty(partAt(document, '#/components/schemas/NewOrder/properties'), 'shipDate')
    })
    expect(gone).toEqual(['placeOrder body: shipDate is gone'])
  })

  test('control: a breaking change is found if an optional body becomes required', () => {
    const document: unknown = structuredClone(parsed)
    Reflect.set(partAt(document, '#/paths/~1store~1orders/post/requestBody'), 'required', false)
    const optional = readDocument(document)
    expect(breakingChanges({ before: optional, after: current })).toEqual(['placeOrder requires a body now'])
    expect(breakingChanges({ before: current, after: optional })).toEqual([])
  })

  test('control: a breaking change is found if a response member becomes optional or is removed', () => {
    const gone = change(document => {
      Reflect.deleteProperty(partAt(document, '#/components/schemas/Category/properties'), 'name')
      Reflect.set(schema(document, 'Category'), 'required', ['id'])
    })
    expect(gone).toContain('getCategory response 200: name is gone')
    const optional = change(document => Reflect.set(schema(document, 'Category'), 'required', ['id']))
    expect(optional).toContain('listCategories response 200/*: name is optional now')
  })

  test('control: a breaking change is found if a parameter or an enum value is removed', () => {
    const parameters = change(document => {
      const operation = partAt(document, '#/paths/~1pets/get')
      const list: unknown = Reflect.get(operation, 'parameters')
      Reflect.set(operation, 'parameters', Array.isArray(list) ? list.slice(1) : [])
    })
    expect(parameters).toEqual(['listPets takes no parameter limit any more'])
    const values = change(document => Reflect.set(schema(document, 'PetSort'), 'enum', ['id']))
    expect(values).toContain('listPets parameter sort: -name is not allowed any more')
  })

  test('control: a breaking change is found in an option of a union', () => {
    const gone = change(document => {
      Reflect.deleteProperty(partAt(document, '#/components/schemas/OrderPlacedEvent/properties'), 'subject')
    })
    expect(gone).toContain('listEvents response 200/*/petstore.order.placed: subject is gone')
    const union = (edit: (union: object) => void): string[] =>
      change(document => edit(schema(document, 'Event')))
    expect(union(event => Reflect.deleteProperty(event, 'discriminator'))).toContain(
      'listEvents response 200/*: the discriminator is absent now',
    )
    expect(union(event => Reflect.deleteProperty(event, 'oneOf'))).toContain(
      'listEvents response 200/*: it is not a union any more',
    )
  })

  test('control: a breaking change is found if a body loses an option, or becomes a union', () => {
    const withPetId = (petId: object) => {
      const document: unknown = structuredClone(parsed)
      Reflect.set(partAt(document, '#/components/schemas/NewOrder/properties'), 'petId', petId)
      return readDocument(document)
    }
    const [both, one, plain] = [
      withPetId({ oneOf: [{ type: 'integer' }, { type: 'string' }] }),
      withPetId({ oneOf: [{ type: 'integer' }] }),
      withPetId({}),
    ]
    expect(breakingChanges({ before: both, after: one })).toEqual([
      'placeOrder body/petId: the option 1 is not allowed any more',
    ])
    expect(breakingChanges({ before: one, after: both })).toEqual([])
    expect(breakingChanges({ before: plain, after: one })).toEqual([
      'placeOrder body/petId: it is a union now',
    ])
  })

  test('control: a breaking change needs a line in the changelog that names its operation', () => {
    expect(unmentioned(['createPet is gone'], '- Breaking: `createPet` is gone.')).toEqual([])
    expect(unmentioned(['createPet is gone'], '- `createPet` is gone.')).toEqual(['createPet is gone'])
    const harmless = change(document => {
      const properties = partAt(document, '#/components/schemas/Pet/properties')
      Reflect.set(properties, 'colour', { type: 'string', maxLength: 20 })
    })
    expect(harmless).toEqual([])
  })
})
