import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json/json.ts'
import { mergePatchType, problemType } from '../../src/contract/contract.ts'

/** The document for requests: members that a schema does not name are let through. */
export function openDocument(document: JsonObject): JsonObject {
  return forValidation(document, false)
}

/** The document for our own responses: a member that a schema does not name is an error. */
export function closedDocument(document: JsonObject): JsonObject {
  return forValidation(document, true)
}

/**
 * The document as the validators' builder understands it: it knows one name of a discriminator, and bodies
 * of `application/json` only.
 */
function forValidation(document: JsonObject, closed: boolean): JsonObject {
  const copy = structuredClone(document)
  const walk = (value: JsonValue, isBranch = false): void => {
    if (Array.isArray(value)) for (const item of value) walk(item, isBranch)
    if (!isJsonObject(value)) return
    if (closed && Array.isArray(value.allOf)) mergeParts(document, value, value.allOf)
    const member = value['x-discriminator']
    if (typeof member === 'string') value.discriminator = { propertyName: member }
    const { content } = value
    if (isJsonObject(content)) {
      const body = content['application/json'] ?? content[mergePatchType] ?? content[problemType]
      if (body !== undefined) content['application/json'] = body
    }
    const mayBeClosed = closed && !isBranch && isJsonObject(value.properties)
    if (mayBeClosed && !combinators.some(name => name in value)) value.additionalProperties ??= false
    for (const [name, child] of Object.entries(value)) walk(child, combinators.includes(name))
  }
  walk(copy)
  return copy
}

/** Makes one object schema of an `allOf` of several, so that it can be closed as a whole. */
function mergeParts(document: JsonObject, schema: JsonObject, parts: readonly JsonValue[]): void {
  const schemas = (document.components as JsonObject).schemas as JsonObject
  const whole = [...parts, { properties: schema.properties ?? {}, required: schema.required ?? [] }].map(
    part => {
      const name =
        isJsonObject(part) && typeof part.$ref === 'string' ? part.$ref.split('/').at(-1) : undefined
      return structuredClone(name === undefined ? part : schemas[name]) as JsonObject
    },
  )
  schema.properties = Object.assign({}, ...whole.map(part => part.properties))
  schema.required = whole.flatMap(part => (part.required ?? []) as string[])
  delete schema.allOf
}

/** Where members may come from elsewhere, a schema alone cannot say which are too many. */
const combinators = ['allOf', 'oneOf', 'anyOf', 'not']
