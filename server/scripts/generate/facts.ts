import type { JsonObject, JsonValue } from '../../src/base/json/json.ts'

/**
 * Returns the source of `generated/facts.ts`: facts of the contract that the server's code needs as plain data.
 * Imports nothing of the server at run time, since much of it imports what is made here.
 */
/** @param whole the contract with the operations of options */
export function factsModule(document: JsonObject, whole: JsonObject): string {
  const exported = Object.entries({ ...factsOf(document), proxyOperations: proxyOperationsOf(whole) }).map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value, null, 2)} as const\n`,
  )
  return ['// Made from openapi.yaml by `npm run generate`.\n', ...exported].join('\n')
}

function factsOf(document: JsonObject) {
  const at = (...steps: readonly string[]): JsonValue => {
    let found: JsonValue | undefined = document
    for (const step of steps) found = (found as JsonObject | undefined)?.[step]
    if (found === undefined) throw new Error(`the contract has no ${steps.join('.')}`)
    return found
  }
  const member = (schema: string, ...steps: readonly string[]) =>
    at('components', 'schemas', schema, 'properties', ...steps)
  const parameter = (name: string, ...steps: readonly string[]) =>
    at('components', 'parameters', name, 'schema', ...steps)
  const ownLimits = Object.entries(at('x-limits') as JsonObject).map(([name, value]) => [
    toCamel(name),
    value,
  ])
  const levels = /\{0,(\d+)\}\)?\$$/.exec(at('components', 'schemas', 'ContainerPath', 'pattern') as string)
  return {
    headerPrefix: (at('components', 'securitySchemes', 'ApiKey', 'name') as string).split('-')[0],
    tokenTypes: tokenTypesOf(document),
    permissionsByType: at('components', 'schemas', 'ApplicationType', 'x-permissions'),
    logEntityTypes: at('components', 'schemas', 'LogEntityType', 'enum'),
    permissions: at('components', 'schemas', 'ApplicationPermission', 'enum'),
    permissionDescriptions: at('components', 'schemas', 'ApplicationPermission', 'x-descriptions'),
    tokenPermissions: at('components', 'schemas', 'TokenPermission', 'enum'),
    transforms: at('components', 'schemas', 'Transform', 'enum'),
    limits: {
      ...Object.fromEntries(ownLimits),
      firstPage: parameter('Page', 'default'),
      pageSize: parameter('Size', 'default'),
      tokenContainers: member('CreateTokenCommon', 'containers', 'maxItems'),
      containerCharacters: at('components', 'schemas', 'ContainerPath', 'maxLength'),
      containerLevels: Number(levels?.[1]),
      expressionCharacters: member('CreateTokenCommon', 'id', 'maxLength'),
      formulaCodeBytes: member('ReactorFormulaRequest', 'code', 'x-max-bytes'),
      callbackUrlCharacters: member('ReactRequest', 'callback_url', 'maxLength'),
      formulaTime: member('ReactRequest', 'timeout_ms', 'x-default'),
    },
  }
}

/** Facts about the operations of `/proxy`, by method. */
function proxyOperationsOf({ paths }: JsonObject) {
  const { '/proxy': operations } = paths as Record<string, Record<string, JsonObject>>
  return Object.fromEntries(
    Object.entries(operations ?? {}).map(([method, one]) => [
      method.toUpperCase(),
      {
        id: one.operationId,
        entityType: one['x-entity-type'],
        permission: one['x-permission'],
        applicationTypes: one['x-application-types'],
        session: one['x-session'],
      },
    ]),
  )
}

/** The types of tokens by name, from the branches of a request to create one. */
export function tokenTypesOf(document: JsonObject) {
  const { schemas } = document.components as { schemas: Record<string, JsonObject> }
  const named = (reference: JsonValue | undefined) => {
    const name = String((reference as JsonObject).$ref).replace('#/components/schemas/', '')
    return { name, schema: schemas[name] as JsonObject }
  }
  const branches = schemas.CreateTokenRequest?.oneOf as JsonValue[]
  return Object.fromEntries(
    branches.map(branch => {
      const { schema } = named(branch)
      const { type, data, search_indexes } = schema.properties as Record<string, JsonObject>
      const defaults = schema['x-defaults'] as JsonObject
      const [example] = schema['x-samples'] as JsonObject[]
      const { name: dataSchema, schema: dataShape } = named(data)
      const numbered = Object.entries((dataShape.properties ?? {}) as Record<string, JsonObject>).find(
        ([, one]) => one['x-secret-number'],
      )
      return [
        String(type?.const),
        {
          dataSchema,
          example: example?.data,
          containers: defaults.containers,
          mask: defaults.mask,
          fingerprintExpression: defaults.fingerprint_expression,
          searchIndexes: defaults.search_indexes,
          isSearchable: named(search_indexes).schema.maxItems !== 0,
          // The member of the data that no id may contain; `null` is none, '' the data itself.
          secretNumber: dataShape['x-secret-number'] ? '' : (numbered?.[0] ?? null),
        },
      ]
    }),
  )
}

function toCamel(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
