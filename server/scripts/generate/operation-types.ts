import type { JsonObject } from '../../src/base/json/json.ts'

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly schema?: JsonObject
  readonly 'x-replaces'?: string
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
}

/**
 * Returns the source of a module with the interface `Operations`: by operation id, the types that openapi-ts made of its
 * request and its responses, and which parameters of its query have defaults.
 *
 * @param types the module with the types that openapi-ts made
 * @param prefix stands before the names of the exports
 */
export function operationTypes(document: JsonObject, types: string, prefix = ''): string {
  const paths = document.paths as Record<string, Record<string, object>>
  const { parameters } = document.components as unknown as { parameters: Record<string, Parameter> }
  const operations = Object.values(paths)
    .flatMap(path => Object.values(path))
    .filter((one): one is Operation => 'operationId' in one)
  const resolve = (one: Parameter) => (one.$ref ? parameters[one.$ref.split('/').at(-1) ?? ''] : one)
  const members = operations.map(({ operationId, parameters: own = [] }) => {
    const query = own.map(resolve).filter(one => one?.in === 'query')
    const replaced = query.map(one => one?.['x-replaces'])
    const defaulted = query
      .filter(one => one?.schema?.default !== undefined && !replaced.includes(one.name))
      .map(one => `'${one?.name}'`)
    const name = operationId.replaceAll(/(?:^|\.)([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const shapes = `data: types.${name}Data; responses: types.${name}Responses; errors: types.${name}Errors`
    return `  '${operationId}': { ${shapes}; defaulted: ${defaulted.join(' | ') || 'never'} }`
  })
  return [
    '// Made from openapi.yaml by `npm run generate`.',
    `import type * as types from '${types}'`,
    '',
    `export interface ${prefix}Operations {`,
    ...members,
    '}',
    '',
    `export type ${prefix}OperationId = keyof ${prefix}Operations`,
    '',
  ].join('\n')
}
