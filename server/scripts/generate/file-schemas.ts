import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json/json.ts'
import { permissionsByType } from '../../src/generated/facts.ts'
import { profileMembers } from '../../src/options/profile.ts'

const draft = 'http://json-schema.org/draft-07/schema#'
const uuid = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
const schemaMember = { type: 'string', description: 'The schema of this file, for editors.' }

/** Tenants of the server's own. */
const reserved = ['f', 'e'].map(last => `ffffffff-ffff-ffff-ffff-fffffffffff${last}`)
const nobody = '00000000-0000-0000-0000-000000000000'

const notReserved = {
  not: { enum: [nobody, ...reserved] },
  'x-expected': 'another UUID: those of only zeros and of only ones are reserved',
}

/** 24 to 64 bytes in padded base64, without bits that are not used. */
const base64 = (() => {
  const four = '[A-Za-z0-9+/]{4}'
  const one = '[A-Za-z0-9+/][AQgw]=='
  const two = '[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]='
  return `(${four}){8,20}(${one}|${two})?|(${four}){21}(${one})?`
})()

/**
 * Returns the JSON Schema of the bootstrap file. What requests have in common with it is that of the contract.
 * @param isForEditors false for the server, which checks by rules of their own, whose messages say more, the rights by the
 *   type of an application, and the contents of formulas, reactors and tokens
 */
export function bootstrapSchema(document: JsonObject, isForEditors: boolean): JsonObject {
  const schemas = ((document.components as JsonObject).schemas ?? {}) as Record<string, JsonObject>
  const definitions = new Map<string, JsonValue>()
  /** Copies a part of the contract, and all that it refers to. */
  const copy = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(copy)
    if (!isJsonObject(value)) return value
    if (typeof value.$ref === 'string') return refer(value.$ref.split('/').at(-1) ?? '')
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]) =>
        name.startsWith('x-') && name !== 'x-violation' ? [] : [[name, copy(member)]],
      ),
    )
  }
  const refer = (name: string): JsonObject => {
    if (!definitions.has(name)) {
      definitions.set(name, {})
      definitions.set(name, copy(schemas[name] ?? {}))
    }
    return { $ref: `#/definitions/${name}` }
  }
  const createdBy = {
    type: 'string',
    pattern: uuid,
    'x-expected': 'the id of an application of the tenant in this file',
    description: 'The application that it is made by. Default: the first.',
  }
  const fixture = (name: string, id: JsonObject): JsonObject => ({
    type: ['array', 'null'],
    'x-expected': 'a list',
    items: {
      type: 'object',
      'x-expected': 'an object',
      ...(isForEditors ? { allOf: [refer(name)] } : {}),
      required: ['id'],
      properties: { id, created_by: createdBy },
    },
  })
  const ofUuid = { type: 'string', pattern: uuid, 'x-expected': 'a UUID in lower case' }
  return {
    $schema: draft,
    title: 'Bootstrap file of Surrogate',
    description: 'What a deployment is set up from: what it names is set to what it says at each start.',
    type: 'object',
    required: ['tenants'],
    additionalProperties: false,
    properties: {
      $schema: schemaMember,
      tenants: { type: 'array', 'x-expected': 'a list', items: { $ref: '#/definitions/BootstrapTenant' } },
    },
    definitions: {
      BootstrapTenant: {
        type: 'object',
        required: ['id'],
        additionalProperties: false,
        properties: {
          id: { ...ofUuid, allOf: [notReserved] },
          name: { type: 'string' },
          operator: {
            type: 'boolean',
            'x-expected': 'true or false',
            description: 'True if it may write official formulas.',
          },
          webhook_secret: {
            type: 'string',
            pattern: `^whsec_(${base64})$`,
            'x-expected': 'whsec_ and 24 to 64 bytes in base64',
            description: 'Signs webhooks.',
          },
          applications: {
            type: 'array',
            'x-expected': 'a list',
            items: { $ref: '#/definitions/BootstrapApplication' },
          },
          formulas: fixture('ReactorFormulaRequest', ofUuid),
          reactors: fixture('CreateReactorRequest', ofUuid),
          tokens: fixture('CreateTokenRequest', { type: 'string' }),
        },
      },
      BootstrapApplication: applicationSchema(
        copy(schemas.CreateApplicationRequest ?? {}) as JsonObject,
        isForEditors,
      ),
      ...Object.fromEntries(definitions),
    },
  }
}

function applicationSchema({ required, properties, ...rest }: JsonObject, isForEditors: boolean): JsonObject {
  const ofKind = Object.entries(permissionsByType).map(([type, permissions]) => {
    const held = { type: ['array', 'null'], items: { enum: [...permissions] } }
    const fits = { permissions: held, rules: { items: { properties: { permissions: held } } } }
    return { anyOf: [{ properties: { type: { not: { const: type } } } }, { properties: fits }] }
  })
  const id = { type: 'string', pattern: uuid, 'x-expected': 'a UUID in lower case' }
  const removed = {
    type: 'boolean',
    'x-expected': 'true or false',
    description: 'True to delete it, and its keys. The rest does not count then.',
  }
  const names = ['key', ...Object.keys(properties as JsonObject)]
  const anything = Object.fromEntries(names.map(name => [name, true]))
  const whole = {
    ...rest,
    additionalProperties: false,
    required: ['id', 'key', ...(required as string[])],
    properties: {
      id,
      removed,
      key: {
        type: 'string',
        pattern: '^[\\x21-\\x7e]{16,}$',
        'x-expected': 'at least 16 printable characters without spaces',
        description:
          'Its API key: at least 16 printable characters without spaces, as of openssl rand -hex 32.',
      },
      ...(properties as JsonObject),
    },
    ...(isForEditors ? { allOf: ofKind } : {}),
  }
  return {
    type: 'object',
    if: { required: ['removed'], properties: { removed: { const: true } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['id'], additionalProperties: false, properties: { id, removed, ...anything } },
    else: whole,
  }
}

/** Returns the JSON Schema of a profile. */
export function profileSchema(): JsonObject {
  return {
    $schema: draft,
    title: 'Profile of Surrogate',
    description: 'Settings that make code written for another service run.',
    type: 'object',
    additionalProperties: false,
    properties: { $schema: schemaMember, ...profileMembers },
  }
}
