interface Schema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
}

/** Finds the members that the contract names for a response. */
export class SchemaMembers {
  readonly #document: unknown

  constructor(document: unknown) {
    this.#document = document
  }

  /** The names of all members of a schema, with those of its parts. */
  of(schema: unknown): string[] {
    return Object.keys(this.#properties(schema as Schema))
  }

  /** The schema of the items of a list; undefined for anything else. */
  itemsOf(schema: unknown): unknown {
    const { data, pagination } = this.#properties(schema as Schema)
    return pagination && data ? this.#resolved(data).items : undefined
  }

  #properties(given: Schema): Readonly<Record<string, Schema>> {
    const schema = this.#resolved(given)
    const parts = [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]
    return Object.assign({}, ...parts.map(part => this.#properties(part)), schema.properties)
  }

  #resolved(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema
    const path = schema.$ref.replace(/^#\//, '').split('/')
    const found = path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], this.#document)
    return this.#resolved(found as Schema)
  }
}
