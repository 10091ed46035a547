import type { Operation } from '../harness/contract.ts'

type Method = (...given: unknown[]) => PromiseLike<unknown>

/** The TypeScript client: methods, and objects of methods. */
type Client = Readonly<Record<string, Method | Readonly<Record<string, Method>>>>

export interface ClientModule {
  readonly Surrogate: new (options: Readonly<Record<string, unknown>>) => Client
  /** Thrown by the client if the server responded with an error. */
  readonly APIError: new (
    ...given: never[]
  ) => Error & { readonly status: number; readonly body: unknown }
}

/** Loads the bundle that `npm run generate` makes of the client's sources. */
export async function loadClient(): Promise<ClientModule> {
  return import(new URL('../generated/sdk.js', import.meta.url).href)
}

/** The parts of a request that the methods of the client take as arguments. */
export interface Given {
  /** Those in the path. */
  readonly ids: readonly string[]
  readonly query: Readonly<Record<string, unknown>> | undefined
  readonly body: unknown
  readonly options: Readonly<Record<string, unknown>>
}

/** Calls the client's method for an operation: with the ids, then the body or the query, then the options. */
export function call(client: Client, operation: Operation, { ids, query, body, options }: Given) {
  const [name = '', method = ''] = operation.id.split('.')
  const target = client[name]
  const args = [...ids, ...(operation.hasBody ? [body] : method === 'list' ? [query] : []), options]
  if (typeof target === 'function') return target.apply(client, args)
  const call = target?.[method]
  if (!call) throw new Error(`the client has no method for ${operation.id}`)
  return call.apply(target, args)
}
