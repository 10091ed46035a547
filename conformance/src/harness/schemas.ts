import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Profile } from './finding.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** ISO 8601 in its extended form. The specification does not require the stricter RFC 3339. */
const iso8601 = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?$/

/**
 * Compiles response schemas of the contract for a profile. In core, parts with `x-profile: surrogate` are not checked.
 * Both profiles allow unknown members; `closed` is surrogate without them.
 */
export class Schemas {
  readonly #document: Json
  readonly #profile: Profile | 'closed'
  readonly #ajv: Ajv2020
  readonly #compiled = new Map<unknown, ValidateFunction>()

  constructor(document: Json, profile: Profile | 'closed') {
    this.#document = document
    this.#profile = profile
    this.#ajv = new Ajv2020({ strict: false, allErrors: true })
    // The types describe the CommonJS module, whose default export is the function itself.
    ;(addFormats as unknown as (ajv: Ajv2020) => void)(this.#ajv)
    if (profile === 'core') this.#ajv.addFormat('date-time', iso8601)
    for (const name of Object.keys((document['x-formats'] ?? {}) as Json)) this.#ajv.addFormat(name, true)
  }

  /** Returns why a value does not match a schema, or undefined if it does. */
  complaint(schema: unknown, value: unknown): string | undefined {
    // Most responses name the same few schemas.
    const key = isObject(schema) && typeof schema.$ref === 'string' ? schema.$ref : schema
    let validate = this.#compiled.get(key)
    if (!validate) {
      validate = this.#ajv.compile(this.#resolved(schema, true) as Json)
      this.#compiled.set(key, validate)
    }
    if (validate(value)) return undefined
    const [error] = validate.errors ?? []
    const extra = error?.params.unevaluatedProperty
    const where = error?.instancePath.replaceAll('/', '.') || ' as a whole'
    return `body${where} ${error?.message}${extra === undefined ? '' : ` (${extra})`}`
  }

  /** Returns the schema with every `$ref` replaced and adapted to the profile. */
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
    if (this.#profile === 'closed' && mayClose && isWhole && !('additionalProperties' in schema))
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
