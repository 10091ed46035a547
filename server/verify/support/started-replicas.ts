import { type Process, startProcess } from './process.ts'
import { newMasterKey } from './stores.ts'

/** One of several servers on a database, in a process of its own. */
export interface Replica {
  readonly url: string
  readonly process: Process
  /** Advances its time; resolves when all work that became due is done. */
  advance(ms: number): Promise<void>
  health(): Promise<number>
}

export interface StartedReplicas {
  /** Starts another one. @param environment of its process @param storage another URL of the database */
  start(environment?: Readonly<Record<string, string>>, storage?: string): Promise<Replica>
  /** The private key of the tenant that they share; available once the first one has started. */
  privateKey(): string
}

/** Starts the program several times on one database, with `--dev` so that tests can advance the time. */
export function startReplicas(
  t: { teardown(task: () => unknown): void },
  database: string,
  key = newMasterKey(),
): StartedReplicas {
  const masterKey = Buffer.from(key).toString('base64')
  let privateKey: string | undefined
  return {
    start: async (environment = {}, storage = database) => {
      const args = ['--port=0', '--dev', '--allow-private-callbacks']
      const process = startProcess(t, args, {
        SURROGATE_MASTER_KEY: masterKey,
        SURROGATE_STORAGE: storage,
        ...environment,
      })
      const { url } = await process.ready()
      privateKey ??= (await process.printed(/private key +(key_\S+)\n/))[1]
      return {
        url,
        process,
        advance: ms => advanceOver(url, ms),
        health: async () => (await fetch(`${url}/healthz`)).status,
      }
    },
    privateKey: () => {
      if (privateKey === undefined) throw new Error('no replica was started')
      return privateKey
    },
  }
}

/** Longer than any answer takes on a busy machine while servers are paused. */
const patienceMs = 60_000

/** Sends a request over the network. */
export async function callOver(
  url: string,
  key: string | undefined,
  method: string,
  path: string,
  body?: object,
  more: Readonly<Record<string, string>> = {},
) {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const response = await fetch(url + path, {
    method,
    signal: AbortSignal.timeout(patienceMs),
    headers: {
      ...(key !== undefined && { 'SVC-API-KEY': key }),
      ...(body && { 'Content-Type': type }),
      ...more,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const { status, headers } = response
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects
  return { status, headers, json: (text === '' ? undefined : JSON.parse(text)) as any }
}

/** Like `callOver`, and returns the JSON. @throws if the response has another status */
export async function mustCallOver(status: number, ...call: Parameters<typeof callOver>) {
  const reply = await callOver(...call)
  const [, , method, path] = call
  if (reply.status !== status)
    throw new Error(`${method} ${path} had status ${reply.status}: ${JSON.stringify(reply.json)}`)
  return reply.json
}

/** Advances the time of a development server; resolves when all work that became due is done. */
export const advanceOver = (url: string, ms: number): Promise<void> =>
  mustCallOver(200, url, undefined, 'POST', '/_dev/clock', { advance_ms: ms })

/** Makes a tenant on a development server. */
export const makeTenantOver = (
  url: string,
): Promise<Record<'tenant_id' | 'private_key' | 'management_key', string>> =>
  mustCallOver(201, url, undefined, 'POST', '/_dev/tenants')

/** Returns all listed tokens, page by page, with duplicates. */
export async function listOver(url: string, key: string): Promise<{ id: string; data: unknown }[]> {
  const tokens = []
  for (let page = 1; ; page++) {
    const { json } = await callOver(url, key, 'GET', `/tokens?page=${page}&size=100`)
    tokens.push(...json.data)
    if (page >= json.pagination.total_pages) return tokens
  }
}

/** Creates an asynchronous reactor. @returns the path that invokes it */
export async function makeReactorOver(url: string, key: string, code: string): Promise<string> {
  const post = async (path: string, body: object): Promise<string> =>
    (await mustCallOver(201, url, key, 'POST', path, body)).id
  const id = await post('/reactor-formulas', { name: 'F', type: 'private', code })
  return `/reactors/${await post('/reactors', { name: 'R', configuration: {}, formula: { id } })}/react`
}
