/** As much of the TypeScript client as the pass through it uses. */
export interface Client {
  readonly tokens: Resource<'create' | 'get' | 'update' | 'delete' | 'list' | 'search'>
  readonly reactorFormulas: Resource<'create' | 'get' | 'update' | 'delete' | 'list'>
  readonly reactors: Resource<'create' | 'get' | 'update' | 'patch' | 'delete' | 'list' | 'react'>
  readonly sessions: Resource<'create' | 'authorize'>
  readonly applications: Resource<
    'create' | 'get' | 'getByKey' | 'update' | 'delete' | 'regenerateKey' | 'list'
  >
  readonly logs: Resource<'list'>
  tokenize(...given: unknown[]): Promise<unknown>
  detokenize(...given: unknown[]): Promise<unknown>
}

type Resource<Method extends string> = Record<Method, (...given: unknown[]) => PromiseLike<unknown>>

export interface ClientModule {
  readonly Surrogate: new (options: Readonly<Record<string, unknown>>) => Client
  /** What the client throws when the server answered with an error. */
  readonly APIError: new (
    ...given: never[]
  ) => Error & { readonly status: number; readonly body: unknown }
}

/** The bundle that `npm run generate` makes from the client's sources. */
export async function loadClient(): Promise<ClientModule> {
  return import(new URL('../generated/sdk.js', import.meta.url).href)
}
