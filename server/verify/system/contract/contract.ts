import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type Obj = { [key: string]: Json }

export const contract: Obj = parse(readFileSync(new URL('../../../../openapi.yaml', import.meta.url), 'utf8'))

export const isObj = (value: Json | undefined): value is Obj =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const obj = (value: Json | undefined): Obj => (isObj(value) ? value : {})
export const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])
export const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** Returns the target of a `$ref`, or the value itself. */
export function resolve(value: Json | undefined): Obj {
  const ref = obj(value).$ref
  if (typeof ref !== 'string') return obj(value)
  let target: Json | undefined = contract
  for (const step of ref.replace(/^#\//, '').split('/')) target = obj(target)[step]
  if (!isObj(target)) throw new Error(`${ref} has no target`)
  return resolve(target)
}

export const METHODS = ['get', 'post', 'put', 'patch', 'delete']
export const allOperations = Object.entries(obj(contract.paths)).flatMap(([path, item]) =>
  METHODS.filter(method => isObj(obj(item)[method])).map(method => {
    const operation = obj(obj(item)[method])
    return {
      id: text(operation.operationId),
      route: `${method.toUpperCase()} ${path}`,
      method,
      path,
      operation,
      parameters: [...list(obj(item).parameters), ...list(operation.parameters)].map(resolve),
      responses: Object.entries(obj(operation.responses)).map(
        ([status, response]) => [status, resolve(response)] as const,
      ),
      statuses: Object.keys(obj(operation.responses)),
    }
  }),
)
export const isDevelopment = ({ operation }: { operation: Obj }) => operation['x-profile'] === 'dev'
/** Those of an option of the server. */
export const isOptional = ({ operation }: { operation: Obj }) => operation['x-option'] !== undefined
/** Those that every server has. */
export const operations = allOperations.filter(one => !isDevelopment(one) && !isOptional(one))

/** Yields all schemas with their places. */
export function* schemas(): Generator<[string, Obj]> {
  for (const [name, schema] of Object.entries(obj(obj(contract.components).schemas)))
    yield* within(name, schema)
  const components = obj(contract.components)
  for (const [name, parameter] of Object.entries(obj(components.parameters)))
    yield* within(name, obj(parameter).schema)
  for (const [name, header] of Object.entries(obj(components.headers)))
    yield* within(name, obj(header).schema)
  for (const [name, response] of Object.entries(obj(components.responses))) yield* contents(name, response)
  for (const { id, operation } of allOperations) {
    for (const parameter of list(operation.parameters))
      yield* within(`${id} ${obj(parameter).name}`, obj(parameter).schema)
    yield* contents(`${id} body`, operation.requestBody)
    for (const [status, response] of Object.entries(obj(operation.responses)))
      yield* contents(`${id} ${status}`, response)
  }
}

function* contents(where: string, holder: Json | undefined): Generator<[string, Obj]> {
  for (const media of Object.values(obj(obj(holder).content))) yield* within(where, obj(media).schema)
}

/** Yields a schema and all schemas inside it. */
function* within(where: string, schema: Json | undefined): Generator<[string, Obj]> {
  if (!isObj(schema)) return
  yield [where, schema]
  for (const [name, property] of Object.entries(obj(schema.properties)))
    yield* within(`${where}.${name}`, property)
  for (const key of ['items', 'additionalProperties', 'propertyNames', 'not'])
    yield* within(`${where} ${key}`, schema[key])
  for (const key of ['allOf', 'anyOf', 'oneOf'])
    for (const [index, branch] of list(schema[key]).entries())
      yield* within(`${where} ${key} ${index}`, branch)
}
