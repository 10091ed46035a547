import { $, type DefinePlugin, definePluginConfig, type IR, TsDsl } from '@hey-api/openapi-ts'
import ts from 'typescript'
import type { Contract } from './contract.ts'
import { errorsModule } from './errors.ts'
import { publicModule } from './public.ts'
import { resourceModules } from './resources.ts'

type OperationsPlugin = DefinePlugin<{ name: 'operations'; classesOf?: Contract; idsOf?: Contract }>

/**
 * Writes `operations.gen.ts`: what the client needs to send each operation of the contract, and a type with the
 * generated types of each operation's request and responses. Each operation is a constant of its own (`tokensGet` for
 * `tokens.get`), so that bundlers can leave out those that an application does not use. With `classesOf` it also writes
 * the classes of the client, into `resources/`, those of errors, and `public`, which exports both.
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
  const { classesOf, idsOf } = plugin.config
  if (idsOf) {
    const ids = Object.values(idsOf.paths).flatMap(item =>
      Object.values(item).flatMap(one =>
        'operationId' in one && one['x-profile'] !== 'dev' ? $.type.literal(one.operationId) : [],
      ),
    )
    plugin.node(
      $.type
        .alias(plugin.symbol('OperationId'))
        .export()
        .type($.type.or(...ids)),
    )
  }
  if (!classesOf) return
  const modules = [
    ['status-errors', errorsModule(classesOf)] as const,
    ['public', publicModule(classesOf)] as const,
    ...resourceModules(classesOf),
  ]
  for (const [path, code] of modules)
    plugin.node(new Source(plugin.symbol(path, { getFilePath: () => path }), code))
}

/** A module as text: the printer prints the text of an identifier as it is. */
class Source extends TsDsl<ts.Identifier> {
  readonly '~dsl' = 'Source'
  readonly #code: string

  constructor(symbol: Parameters<TsDsl['name']['set']>[0], code: string) {
    super()
    this.name.set(symbol)
    this.#code = code
  }

  override toAst(): ts.Identifier {
    return ts.factory.createIdentifier(this.#code)
  }
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
