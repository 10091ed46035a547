import { isJsonObject, type JsonObject, type JsonValue } from '../base/json/json.ts'
import type { Operation } from './contract.ts'

/** Returns a name of the contract as in `deduplicateToken`. */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase())

/** True for a value in a payload that describes a token. Any other object there is structure. */
export function isDescription(value: JsonObject | JsonValue[]): boolean {
  return Object.hasOwn(value, 'type') && Object.hasOwn(value, 'data')
}

/** A place in the contract where a value stands: the members that its schema names, and that of its items. */
export class ContractMember {
  readonly #document: JsonObject
  /** The schema and all that it is combined of. */
  readonly #parts: readonly JsonObject[]
  /** True if members that the contract does not name belong to the caller. */
  readonly takesAnyMember: boolean
  #members: ReadonlyMap<string, ContractMember> | undefined
  #items: ContractMember | undefined
  #inCamelCase: ReadonlyMap<string, string> | undefined

  constructor(document: JsonObject, schema: JsonValue | undefined) {
    this.#document = document
    this.#parts = partsOf(document, schema)
    this.takesAnyMember = this.#parts.some(takesAnyMember)
  }

  /** The members that the contract names; none for a value, such as metadata, whose members the caller chooses. */
  get members(): ReadonlyMap<string, ContractMember> {
    this.#members ??= this.#readMembers()
    return this.#members
  }

  /** The members whose name is another one in camelCase: `created_by` by `createdBy`. */
  get inCamelCase(): ReadonlyMap<string, string> {
    this.#inCamelCase ??= new Map(
      [...this.members.keys()].flatMap(name => (camelCase(name) === name ? [] : [[camelCase(name), name]])),
    )
    return this.#inCamelCase
  }

  /** The place of the items of a list. They take any member if the contract says nothing of them. */
  get items(): ContractMember {
    this.#items ??= this.#readItems()
    return this.#items
  }

  #readItems(): ContractMember {
    const items = this.#parts.flatMap(part => (part.items === undefined ? [] : [part.items]))
    return new ContractMember(this.#document, items.length === 0 ? {} : { anyOf: items })
  }

  #readMembers(): ReadonlyMap<string, ContractMember> {
    if (this.takesAnyMember) return new Map()
    const named = new Map<string, JsonValue[]>()
    for (const { properties } of this.#parts)
      for (const [name, one] of Object.entries(isJsonObject(properties) ? properties : {}))
        named.set(name, [...(named.get(name) ?? []), one])
    return new Map(
      [...named].map(([name, schemas]) => [name, new ContractMember(this.#document, { anyOf: schemas })]),
    )
  }
}

/** Finds the places of requests and responses in the contract. Each is made when it is first asked for. */
export class ContractMembers {
  readonly #document: JsonObject
  readonly #known = new Map<string, ContractMember>()

  constructor(document: JsonObject) {
    this.#document = document
  }

  ofSchema(name: string): ContractMember {
    return this.#at('components', 'schemas', name)
  }

  ofRequest({ path, method, bodyType = '' }: Operation): ContractMember {
    return this.#at('paths', path, method.toLowerCase(), 'requestBody', 'content', bodyType, 'schema')
  }

  ofResponse({ path, method }: Operation, status: number): ContractMember {
    const place = ['responses', `${status}`, 'content', 'application/json', 'schema']
    return this.#at('paths', path, method.toLowerCase(), ...place)
  }

  #at(...steps: string[]): ContractMember {
    const key = steps.join(' ')
    const place = this.#known.get(key) ?? new ContractMember(this.#document, valueAt(this.#document, steps))
    this.#known.set(key, place)
    return place
  }
}

function valueAt(document: JsonObject, steps: readonly string[]): JsonValue | undefined {
  return steps.reduce<JsonValue | undefined>(
    (value, step) => (isJsonObject(value) ? value[step] : undefined),
    document,
  )
}

function partsOf(document: JsonObject, schema: JsonValue | undefined): JsonObject[] {
  if (!isJsonObject(schema)) return []
  if (typeof schema.$ref === 'string')
    return partsOf(document, valueAt(document, schema.$ref.split('/').slice(1)))
  const combined = [schema.allOf, schema.anyOf, schema.oneOf].flatMap(list =>
    Array.isArray(list) ? list : [],
  )
  return [schema, ...combined.flatMap(one => partsOf(document, one))]
}

/** True for a schema, such as that of metadata, that allows members of any name. Parts that combine others do not count. */
function takesAnyMember(schema: JsonObject): boolean {
  const { type, properties, additionalProperties } = schema
  if (['$ref', 'allOf', 'anyOf', 'oneOf'].some(name => name in schema)) return false
  const takesObjects = type === undefined || [type].flat().includes('object')
  return takesObjects && (properties === undefined || Boolean(additionalProperties))
}
