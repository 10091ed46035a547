import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Profile } from './finding.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** ISO 8601 in its extended form, which is all that the specification asks of a date; RFC 3339 asks for more. */
const iso8601 = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?$/

/**
 * Compiles response schemas of the contract for a profile. In core what carries `x-profile: surrogate` may be
 * anything, and members that a schema does not name are nobody's business; in surrogate neither holds.
 */
export class Schemas {
  readonly #document: Json
  readonly #profile: Profile
  readonly #ajv: Ajv2020
  readonly #compiled = new Map<unknown, ValidateFunction>()

  constructor(document: Json, profile: Profile) {
    this.#document = document
    this.#profile = profile
    this.#ajv = new Ajv2020({ strict: false, allErrors: true })
    // Its types describe the CommonJS module, in which the function is a member of itself.
    ;(addFormats as unknown as (ajv: Ajv2020) => void)(this.#ajv)
    if (profile === 'core') this.#ajv.addFormat('date-time', iso8601)
    for (const name of Object.keys((document['x-formats'] ?? {}) as Json)) this.#ajv.addFormat(name, true)
  }

  /** What a value has wrong under a schema, in a line; undefined if nothing. */
  complaint(schema: unknown, value: unknown): string | undefined {
    let validate = this.#compiled.get(schema)
    if (!validate) {
      validate = this.#ajv.compile(this.#resolved(schema, true) as Json)
      this.#compiled.set(schema, validate)
    }
    if (validate(value)) return undefined
    const [error] = validate.errors ?? []
    const extra = error?.params.unevaluatedProperty
    const where = error?.instancePath.replaceAll('/', '.') || ' as a whole'
    return `body${where} ${error?.message}${extra === undefined ? '' : ` (${extra})`}`
  }

  /** The schema with every `$ref` replaced, and changed as the profile wants it. */
  #resolved(schema: unknown, mayClose: boolean): unknown {
    if (Array.isArray(schema)) return schema.map(item => this.#resolved(item, mayClose))
    if (!isObject(schema)) return schema
    if (this.#profile === 'core' && schema['x-profile'] === 'surrogate') return {}
    if (typeof schema.$ref === 'string') return this.#resolved(this.find(schema.$ref), mayClose)
    const isWhole = isObject(schema.properties) || Array.isArray(schema.allOf)
    const made: Json = {}
    for (const [name, value] of Object.entries(schema)) {
      if (name.startsWith('x-') || name === 'description' || name === 'examples') continue
      if (name === 'properties' && isObject(value)) {
        made.properties = Object.fromEntries(
          Object.entries(value).map(([key, child]) => [key, this.#resolved(child, true)]),
        )
      } else if (['allOf', 'oneOf', 'anyOf'].includes(name)) made[name] = this.#resolved(value, !isWhole)
      else if (['items', 'additionalProperties', 'not', 'propertyNames'].includes(name))
        made[name] = this.#resolved(value, name !== 'not')
      else made[name] = value
    }
    if (this.#profile === 'surrogate' && mayClose && isWhole && !('additionalProperties' in schema))
      made.unevaluatedProperties = false
    return made
  }

  find(pointer: string): unknown {
    return pointer
      .slice(2)
      .split('/')
      .reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), this.#document)
  }
}
