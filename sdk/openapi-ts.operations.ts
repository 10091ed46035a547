import { $, type DefinePlugin, definePluginConfig, type IR } from '@hey-api/openapi-ts'

type OperationsPlugin = DefinePlugin<{ name: 'operations' }>

/**
 * Writes `operations.gen.ts`: what the client needs to send each operation of the contract, and a type with the
 * generated types of each operation's request and responses. Each operation is a constant of its own (`tokensGet` for
 * `tokens.get`), so that bundlers can leave out those that an application does not use.
 *
 * They replace the client of openapi-ts, which is several times as large and does not compile under
 * `exactOptionalPropertyTypes`.
 */
const handler: OperationsPlugin['Handler'] = ({ plugin }) => {
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
      const constant = name.replace(/\.(.)/g, (_, letter: string) => letter.toUpperCase())
      plugin.node(
        $.const(plugin.symbol(constant))
          .export()
          .assign($($.fromValue({ id: name, ...describe(operation) })).as('const')),
      )
      types.prop(name, p => p.type(shape))
    },
    { order: 'declarations' },
  )
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
    ...(body && body.mediaType !== 'application/json' && { contentType: body.mediaType }),
    ...(!idempotencyKey && method !== 'get' && method !== 'delete' && { repeatable: true }),
    ...(separators.length > 0 && { separators: Object.fromEntries(separators) }),
  }
}

export const operationsPlugin = definePluginConfig<OperationsPlugin['Types']>({
  config: {},
  dependencies: ['@hey-api/typescript'],
  handler,
  name: 'operations',
})
