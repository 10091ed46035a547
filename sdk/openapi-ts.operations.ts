import { $, type DefinePlugin, definePluginConfig, type IR } from '@hey-api/openapi-ts'

type OperationsPlugin = DefinePlugin<{ name: 'operations' }>

/**
 * Writes `operations.gen.ts`: the table of the contract's operations that the client needs to send requests, and a type
 * with the generated types of each operation's request and responses.
 *
 * The table replaces the client of openapi-ts, which is several times as large and does not compile under
 * `exactOptionalPropertyTypes`.
 */
const handler: OperationsPlugin['Handler'] = ({ plugin }) => {
  const table = $.object().pretty()
  const types = $.type.object()
  plugin.forEach(
    'operation',
    ({ operation }) => {
      const name = operation.operationId ?? operation.id
      const generatedType = (role: 'data' | 'responses') =>
        $.type(
          plugin.referenceSymbol({
            category: 'type',
            resource: 'operation',
            resourceId: operation.id,
            role,
            tool: 'typescript',
          }),
        )
      const shape = $.type
        .object()
        .prop('data', p => p.type(generatedType('data')))
        .prop('responses', p => p.type(generatedType('responses')))
      table.prop(name, $.fromValue(describe(operation)))
      types.prop(name, p => p.type(shape))
    },
    { order: 'declarations' },
  )
  plugin.node($.const(plugin.symbol('operations')).export().assign($(table).as('const')))
  plugin.node($.type.alias(plugin.symbol('Operations')).export().type(types))
}

/** Returns what the client needs to send an operation. Members with default values are left out to save bytes. */
function describe({ method, path, body, parameters }: IR.OperationObject) {
  const idempotencyKey = Object.values(parameters?.header ?? {}).find(({ name }) =>
    name.endsWith('-IDEMPOTENCY-KEY'),
  )
  const separators = Object.values(parameters?.query ?? {}).flatMap(parameter =>
    'x-key-separator' in parameter ? [[parameter.name, parameter['x-key-separator']]] : [],
  )
  return {
    method: method.toUpperCase(),
    path,
    ...(body && { contentType: body.mediaType }),
    ...(idempotencyKey && { idempotent: true }),
    ...(separators.length > 0 && { separators: Object.fromEntries(separators) }),
  }
}

export const operationsPlugin = definePluginConfig<OperationsPlugin['Types']>({
  config: {},
  dependencies: ['@hey-api/typescript'],
  handler,
  name: 'operations',
})
