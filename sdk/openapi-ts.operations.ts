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
          .assign($.literal(describe(name, operation))),
      )
      types.prop(name, p => p.type(shape))
    },
    { order: 'declarations' },
  )
  plugin.node($.type.alias(plugin.symbol('Operations')).export().type(types))
}

/**
 * Returns what the client needs to send an operation: its name, method and path, the media type of its body unless that is
 * JSON, and `repeatable` if it changes nothing although its method could, so that it needs no idempotency key. Words of
 * one string compress better than an object.
 */
function describe(name: string, { method, path, body, parameters }: IR.OperationObject): string {
  const isIdempotent = Object.values(parameters?.header ?? {}).some(({ name }) =>
    name.endsWith('-IDEMPOTENCY-KEY'),
  )
  for (const parameter of Object.values(parameters?.query ?? {})) {
    if ('x-key-separator' in parameter && parameter['x-key-separator'] !== '.')
      throw new Error(`${name}: the client separates the keys of ${parameter.name} by a dot`)
  }
  const mediaType = body?.mediaType ?? 'application/json'
  const isRepeatable = !isIdempotent && method !== 'get' && method !== 'delete'
  const words = [name, method.toUpperCase(), path, mediaType === 'application/json' ? '' : mediaType]
  return `${words.join(' ')}${isRepeatable ? ' repeatable' : ''}`.trimEnd()
}

export const operationsPlugin = definePluginConfig<OperationsPlugin['Types']>({
  config: {},
  dependencies: ['@hey-api/typescript'],
  handler,
  name: 'operations',
})
