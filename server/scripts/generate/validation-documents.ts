/**
 * Writes the contract as openapi-backend reads it at run time: one document for requests, and one for responses and
 * development servers, in which a member that a schema does not name is an error. Only component schemas stay
 * references, by their bare name: each becomes one function, and nothing is resolved when a server starts.
 */
import { writeFile } from 'node:fs/promises'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json/json.ts'
import { mergePatchType, problemType } from '../../src/contract/contract.ts'
import { withoutDevelopment, withoutOptions } from './dev-profile.ts'

/** Writes `requests.json` and `closed.json` into the folder `generated`. */
export async function writeValidationDocuments(whole: JsonObject, generated: URL): Promise<void> {
  const requests = new Preparation(withoutDevelopment(whole), false)
  const closed = new Preparation(withoutOptions(whole), true)
  await writeFile(new URL('requests.json', generated), JSON.stringify(requests.document()))
  await writeFile(new URL('closed.json', generated), JSON.stringify(closed.document()))
}

/** Keywords of schemas that no validator needs. */
const annotations = new Set(['title', 'description', 'examples'])
/** Members of operations that nothing reads at run time. */
const prose = new Set([
  'summary',
  'description',
  'tags',
  'security',
  'parameters',
  'requestBody',
  'responses',
])
/** Where members may come from elsewhere, a schema alone cannot say which are too many. */
const combinators = ['allOf', 'oneOf', 'anyOf', 'not']
const componentPrefix = '#/components/schemas/'

interface Place {
  /** True for a part of a combinator. */
  readonly isBranch?: boolean
  /** True if references are replaced by what they refer to. */
  readonly isInlined?: boolean
}

class Preparation {
  readonly #document: JsonObject
  readonly #schemas: Readonly<Record<string, JsonObject>>
  readonly #isClosed: boolean

  constructor(document: JsonObject, isClosed: boolean) {
    this.#document = document
    this.#schemas = (document.components as JsonObject).schemas as Record<string, JsonObject>
    this.#isClosed = isClosed
  }

  document(): JsonObject {
    const paths = mapped(this.#document.paths as JsonObject, path =>
      mapped(path as JsonObject, (part, name) =>
        name === 'parameters' ? this.#parameters(part) : this.#operation(part as JsonObject),
      ),
    )
    return { paths, components: { schemas: mapped(this.#schemas, one => this.#schema(one as JsonObject)) } }
  }

  #operation(operation: JsonObject): JsonObject {
    const { parameters, requestBody, responses } = operation
    const rest = Object.entries(operation).filter(([name]) => !prose.has(name))
    return {
      ...Object.fromEntries(rest),
      ...(parameters === undefined ? {} : { parameters: this.#parameters(parameters) }),
      ...(requestBody === undefined ? {} : { requestBody: this.#body(this.#resolved(requestBody)) }),
      responses: mapped(responses as JsonObject, one =>
        this.#isClosed ? this.#response(this.#resolved(one)) : {},
      ),
    }
  }

  /** Parameters have no references: openapi-backend reads their keywords. */
  #parameters(parameters: JsonValue): JsonValue {
    return (parameters as JsonValue[]).map(one => this.#withSchema(this.#resolved(one)))
  }

  #withSchema({ description: _text, ...part }: JsonObject): JsonObject {
    return { ...part, schema: this.#schema(part.schema as JsonObject, { isInlined: true }) }
  }

  #response({ headers, ...response }: JsonObject): JsonObject {
    const named = mapped((headers ?? {}) as JsonObject, one => this.#withSchema(this.#resolved(one)))
    return { ...this.#body(response), headers: named }
  }

  /** openapi-backend validates bodies of `application/json` only, so those of other JSON types are named so, too. */
  #body({ description: _text, content, ...body }: JsonObject): JsonObject {
    if (!isJsonObject(content)) return body
    const json = content['application/json'] ?? content[mergePatchType] ?? content[problemType]
    const types = mapped(content, () => ({}))
    if (!isJsonObject(json)) return { ...body, content: types }
    const schema = this.#schema(json.schema as JsonObject)
    return { ...body, content: { ...types, 'application/json': { schema } } }
  }

  #resolved(part: JsonValue): JsonObject {
    const { $ref } = part as JsonObject
    if (typeof $ref !== 'string') return part as JsonObject
    const [, , kind = '', name = ''] = $ref.split('/')
    return ((this.#document.components as JsonObject)[kind] as JsonObject)[name] as JsonObject
  }

  #schema(schema: JsonObject, { isBranch = false, isInlined = false }: Place = {}): JsonObject {
    const name = nameOf(schema)
    if (name !== undefined)
      return isInlined ? this.#schema(this.#named(name), { isBranch, isInlined }) : { $ref: name }
    const whole = this.#isClosed && Array.isArray(schema.allOf) ? this.#merged(schema, schema.allOf) : schema
    const made: JsonObject = {}
    for (const [keyword, value] of Object.entries(whole)) {
      if (annotations.has(keyword) || (keyword.startsWith('x-') && keyword !== 'x-violation')) continue
      const isCombinator = combinators.includes(keyword)
      // Messages find the errors of branches by their place in the schema, which ends at a reference.
      const place = {
        isBranch: isCombinator,
        isInlined: isInlined || (isCombinator && 'x-violation' in whole),
      }
      if (keyword === 'properties')
        made[keyword] = mapped(value as JsonObject, one => this.#schema(one as JsonObject, { isInlined }))
      else if (isCombinator && Array.isArray(value))
        made[keyword] = value.map(one => this.#schema(one as JsonObject, place))
      else if (isCombinator || (schemaKeywords.has(keyword) && isJsonObject(value)))
        made[keyword] = this.#schema(value as JsonObject, place)
      else made[keyword] = value
    }
    const member = whole['x-discriminator']
    if (typeof member === 'string') {
      made.discriminator = { propertyName: member }
      made['x-tags'] = (whole.oneOf as JsonObject[]).map(branch => this.#tagOf(branch, member))
    }
    const mayBeClosed = this.#isClosed && !isBranch && isJsonObject(whole.properties)
    if (mayBeClosed && !combinators.some(one => one in whole)) made.additionalProperties ??= false
    return made
  }

  #named(name: string): JsonObject {
    return this.#schemas[name] ?? {}
  }

  #tagOf(branch: JsonObject, member: string): JsonValue {
    const { properties } = this.#partOf(branch)
    return ((properties as JsonObject)[member] as JsonObject).const ?? null
  }

  /** Makes one object schema of an `allOf` of several, so that it can be closed as a whole. */
  #merged({ allOf: _parts, ...schema }: JsonObject, parts: readonly JsonValue[]): JsonObject {
    const whole = [...parts, { properties: schema.properties ?? {}, required: schema.required ?? [] }].map(
      part => this.#partOf(part as JsonObject),
    )
    return {
      ...schema,
      properties: Object.assign({}, ...whole.map(part => part.properties)),
      required: whole.flatMap(part => (part.required ?? []) as string[]),
    }
  }

  #partOf(part: JsonObject): JsonObject {
    const name = nameOf(part)
    return name === undefined ? part : this.#named(name)
  }
}

const schemaKeywords = new Set(['items', 'additionalProperties', 'propertyNames'])

const nameOf = ({ $ref }: JsonObject) =>
  typeof $ref === 'string' ? $ref.slice(componentPrefix.length) : undefined

function mapped(parts: JsonObject, change: (part: JsonValue, name: string) => JsonValue): JsonObject {
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, change(part as JsonValue, name)]),
  )
}
