/** A schema of an OpenAPI 3.0 document, as far as the contract uses it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly string[]
  readonly nullable?: boolean
  readonly items?: Schema
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly description?: string
}

type Use = 'request' | 'response'

/** Writes the TypeScript types of the schemas of a document. */
export class TypeWriter {
  readonly #schemas: Readonly<Record<string, Schema>>
  readonly #alwaysSent: Readonly<Record<string, readonly string[]>>
  readonly #alwaysInput: readonly string[]
  /** The use of each schema, in requests or in responses, by its name. */
  readonly #uses = new Map<string, Use>()

  /**
   * `alwaysSent`: members of a schema that are in every response, although the schema does not require them.
   * `alwaysInput`: schemas whose types are those of a request, also in responses, so that what was read can be sent.
   */
  constructor(
    schemas: Readonly<Record<string, Schema>>,
    alwaysSent: Readonly<Record<string, readonly string[]>>,
    alwaysInput: readonly string[] = [],
  ) {
    this.#schemas = schemas
    this.#alwaysSent = alwaysSent
    this.#alwaysInput = alwaysInput
  }

  /** Returns the type of a schema. In a request, an integer may be a number. */
  type(schema: Schema, use: Use, indent = ''): string {
    const type = this.#nonNullType(schema, use, indent)
    return schema.nullable ? `${type} | null` : type
  }

  /**
   * Adds a schema to the declared types, and returns its name. Throws if the document has no such schema, or if the
   * schema has integers and is used in requests and in responses.
   */
  named(name: string, wanted: Use = 'response'): string {
    const use = this.#alwaysInput.includes(name) ? 'request' : wanted
    const schema = this.#schemas[name]
    if (!schema) throw new Error(`the document has no schema ${name}`)
    const known = this.#uses.get(name)
    if (known !== undefined && known !== use && JSON.stringify(schema).includes('"integer"')) {
      throw new Error(`${name} has integers and is in requests and responses: it needs two types`)
    }
    if (known === undefined) {
      this.#uses.set(name, use)
      // This also adds the schemas to which this schema refers, with the same use.
      this.#declaration(name, schema, use)
    }
    return name
  }

  /** Returns the names of the schemas that are used. */
  names(): string[] {
    return [...this.#uses.keys()]
  }

  /** Returns the declarations of all named schemas that are used, except those that another file declares. */
  declarations(elsewhere: readonly string[] = []): string {
    return [...this.#uses]
      .filter(([name]) => !elsewhere.includes(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, use]) => this.#declaration(name, this.#schemas[name] ?? {}, use))
      .join('\n')
  }

  #nonNullType(schema: Schema, use: Use, indent: string): string {
    if (schema.$ref !== undefined) return this.named(schema.$ref.split('/').at(-1) ?? '', use)
    if (schema.oneOf) return schema.oneOf.map(one => this.type(one, use, indent)).join(' | ')
    if (schema.enum) return schema.enum.map(value => `'${value}'`).join(' | ')
    switch (schema.type) {
      case 'string':
        return 'string'
      case 'boolean':
        return 'boolean'
      case 'integer':
        return use === 'request' ? 'Int64Input' : 'bigint'
      case 'number':
        return 'number'
      case 'array':
        return this.#arrayType(schema.items ?? {}, use, indent)
      case 'object':
        return schema.properties
          ? this.#members(schema, use, indent, [])
          : `Record<string, ${this.#memberType(schema, use, indent)}>`
      default:
        throw new Error(`the client has no type for ${JSON.stringify(schema)}`)
    }
  }

  /** Returns the type of the members of an object without fixed names. */
  #memberType({ additionalProperties }: Schema, use: Use, indent: string): string {
    return typeof additionalProperties === 'object' ? this.type(additionalProperties, use, indent) : 'unknown'
  }

  #arrayType(items: Schema, use: Use, indent: string): string {
    const item = this.type(items, use, indent)
    const list = /[|{ ]/.test(item) ? `(${item})[]` : `${item}[]`
    return use === 'request' ? `readonly ${list}` : list
  }

  #members(schema: Schema, use: Use, indent: string, always: readonly string[]): string {
    const inner = `${indent}  `
    const lines = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
      const isRequired = schema.required?.includes(name) === true || always.includes(name)
      const absent = !isRequired && use === 'request' ? ' | undefined' : ''
      const text = `${inner}${name}${isRequired ? '' : '?'}: ${this.type(member, use, inner)}${absent}`
      return member.description === undefined ? [text] : [comment(member.description, inner), text]
    })
    return `{\n${lines.join('\n')}\n${indent}}`
  }

  #declaration(name: string, schema: Schema, use: Use): string {
    const always = use === 'response' ? (this.#alwaysSent[name] ?? []) : []
    const text = schema.properties
      ? `export interface ${name} ${this.#members(schema, use, '', always)}`
      : `export type ${name} = ${this.type(schema, use)}`
    return schema.description === undefined ? `${text}\n` : `${comment(schema.description, '')}\n${text}\n`
  }
}

/** Returns a text as a JSDoc comment. A comment end inside the text is split by a space. */
export function comment(text: string, indent: string): string {
  const lines = text.replaceAll('*/', '* /').split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0]} */`
  return [`${indent}/**`, ...lines.map(line => `${indent} * ${line}`.trimEnd()), `${indent} */`].join('\n')
}
