import type { Client } from './client.ts'

/** What a request in plain HTTP is in terms of the client. */
export interface Said {
  readonly id: string
  readonly query: Readonly<Record<string, unknown>> | undefined
  readonly body: unknown
  readonly options: Readonly<Record<string, unknown>>
}

type Say = (client: Client, said: Said) => PromiseLike<unknown>

/** How the client says each operation of the contract. */
export const calls: Readonly<Record<string, Say>> = {
  'tokens.create': (client, { body, options }) => client.tokens.create(body, options),
  'tokens.get': (client, { id, options }) => client.tokens.get(id, options),
  'tokens.update': (client, { id, body, options }) => client.tokens.update(id, body, options),
  'tokens.delete': (client, { id, options }) => client.tokens.delete(id, options),
  'tokens.list': (client, { query, options }) => client.tokens.list(query, options),
  'tokens.search': (client, { body, options }) => client.tokens.search(body, options),
  tokenize: (client, { body, options }) => client.tokenize(body, options),
  detokenize: (client, { body, options }) => client.detokenize(body, options),
  'reactorFormulas.create': (client, { body, options }) => client.reactorFormulas.create(body, options),
  'reactorFormulas.get': (client, { id, options }) => client.reactorFormulas.get(id, options),
  'reactorFormulas.update': (client, { id, body, options }) =>
    client.reactorFormulas.update(id, body, options),
  'reactorFormulas.delete': (client, { id, options }) => client.reactorFormulas.delete(id, options),
  'reactorFormulas.list': (client, { query, options }) => client.reactorFormulas.list(query, options),
  'reactors.create': (client, { body, options }) => client.reactors.create(body, options),
  'reactors.get': (client, { id, options }) => client.reactors.get(id, options),
  'reactors.update': (client, { id, body, options }) => client.reactors.update(id, body, options),
  'reactors.patch': (client, { id, body, options }) => client.reactors.patch(id, body, options),
  'reactors.delete': (client, { id, options }) => client.reactors.delete(id, options),
  'reactors.list': (client, { query, options }) => client.reactors.list(query, options),
  'reactors.react': (client, { id, body, options }) => client.reactors.react(id, body, options),
  'sessions.create': (client, { options }) => client.sessions.create(options),
  'sessions.authorize': (client, { body, options }) => client.sessions.authorize(body, options),
  'applications.create': (client, { body, options }) => client.applications.create(body, options),
  'applications.get': (client, { id, options }) => client.applications.get(id, options),
  'applications.getByKey': (client, { options }) => client.applications.getByKey(options),
  'applications.update': (client, { id, body, options }) => client.applications.update(id, body, options),
  'applications.delete': (client, { id, options }) => client.applications.delete(id, options),
  'applications.regenerateKey': (client, { id, options }) => client.applications.regenerateKey(id, options),
  'applications.list': (client, { query, options }) => client.applications.list(query, options),
  'logs.list': (client, { query, options }) => client.logs.list(query, options),
}
