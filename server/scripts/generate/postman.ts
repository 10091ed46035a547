import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json/json.ts'

const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

/** The key that a request of an operation has, if it takes several: the one that may do most. */
const kinds = ['private', 'management', 'public'] as const

/**
 * Returns a collection for Postman, and for other clients that import one, with a request for each operation of a contract
 * and each of its examples. Address, keys and ids are variables.
 */
export function postmanCollection(document: JsonObject): JsonObject {
  const at = (...steps: readonly string[]): JsonObject => {
    const found = steps.reduce<JsonValue | undefined>(
      (value, step) => (isJsonObject(value) ? value[step] : undefined),
      document,
    )
    return resolve(found)
  }
  const resolve = (value: JsonValue | undefined): JsonObject => {
    if (!isJsonObject(value)) return {}
    return typeof value.$ref === 'string' ? at(...value.$ref.split('/').slice(1)) : value
  }
  const list = (value: JsonValue | undefined) => (Array.isArray(value) ? value.map(resolve) : [])

  const requestsOf = (path: string, method: string, operation: JsonObject): JsonObject[] => {
    const [media] = Object.entries(resolve(resolve(operation.requestBody).content))
    const examples = Object.values(resolve(resolve(media?.[1]).examples)).map(resolve)
    const key = kinds.find(kind => (operation['x-application-types'] as string[]).includes(kind)) ?? 'private'
    const query = list(operation.parameters).filter(one => one.in === 'query')
    const steps = path
      .slice(1)
      .split('/')
      .map(step => step.replace(/^\{(.+)\}$/, ':$1'))
    const request = (example?: JsonObject): JsonObject => ({
      name: `${operation.summary}${examples.length > 1 ? `: ${example?.summary}` : ''}`,
      request: {
        method: method.toUpperCase(),
        description: operation.description ?? '',
        header: [
          { key: 'SVC-API-KEY', value: `{{${key}_key}}` },
          ...(media ? [{ key: 'Content-Type', value: media[0] }] : []),
        ],
        url: {
          raw: `{{url}}/${steps.join('/')}`,
          host: ['{{url}}'],
          path: steps,
          // Filters are switched on one by one.
          query: query.map(({ name = '', description = '' }) => ({
            key: name,
            value: '',
            description,
            disabled: true,
          })),
          variable: steps
            .filter(step => step.startsWith(':'))
            .map(step => ({ key: step.slice(1), value: '' })),
        },
        ...(media
          ? {
              body: {
                mode: 'raw',
                raw: JSON.stringify(example?.value ?? {}, null, 2),
                options: { raw: { language: 'json' } },
              },
            }
          : {}),
      },
    })
    return examples.length > 0 ? examples.map(request) : [request()]
  }

  const operations = Object.entries(at('paths')).flatMap(([path, methods]) =>
    Object.entries(resolve(methods))
      .map(([method, operation]) => ({ path, method, operation: resolve(operation) }))
      // A path has parameters of all its operations, too.
      .filter(({ operation }) => operation.operationId !== undefined),
  )
  const folders = list(document.tags).map(({ name = '', description = '' }) => ({
    name,
    description,
    item: operations
      .filter(({ operation }) => (operation.tags as JsonValue[])[0] === name)
      .flatMap(({ path, method, operation }) => requestsOf(path, method, operation)),
  }))
  return {
    info: { name: at('info').title ?? '', description: at('info').description ?? '', schema },
    variable: [
      { key: 'url', value: 'http://127.0.0.1:4000' },
      ...kinds.map(kind => ({ key: `${kind}_key`, value: '' })),
    ],
    item: folders,
  }
}
