import { generate } from '../load/generate.ts'
import { HttpConnection, head, withJson } from '../load/http-connection.ts'
import { keys } from '../support/callers.ts'
import { cardNumber } from '../support/canaries.ts'
import { type Measured, summarize } from './figures.ts'
import { cpuUsOf, type Started } from './servers.ts'

export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: string
}

interface BenchLoad {
  /** Servers with the same data, among which the connections are distributed. */
  readonly urls: readonly string[]
  /** Keys, of one or several tenants, among which the connections of each server are distributed. */
  readonly keys: readonly string[]
  readonly connections: number
  /** The load ends after this time, or after this many requests. */
  readonly seconds?: number
  readonly requests?: number
  /** Returns the n-th request, on one of the tokens in `ids`. */
  readonly request: (n: number, id: string) => Request
  /** The tokens of each key. Those that are created are added. */
  readonly ids?: string[][]
}

const mostIds = 50_000
/** Counts over all loads, so that no two requests create the same token. */
let sent = 0

/** Sends requests on all connections, each after the response to the one before. */
export async function load({
  urls,
  keys,
  connections,
  request,
  ids = [],
  ...end
}: BenchLoad): Promise<Measured> {
  const senders = Array.from({ length: connections }, (_, n) => {
    const { hostname, port } = new URL(urls[n % urls.length] ?? '')
    const tenant = Math.floor(n / urls.length) % keys.length
    ids[tenant] ??= []
    const connection = new HttpConnection({ host: hostname, port: Number(port) })
    return { connection, key: keys[tenant] ?? '', own: ids[tenant] }
  })
  const send = async (_: number, sender: number): Promise<void> => {
    const { connection, key, own } = senders[sender] as (typeof senders)[number]
    const { method, path, body } = request(sent++, own[Math.floor(Math.random() * own.length)] ?? '')
    const text = body === undefined ? head(method, path, key) : withJson(method, path, key, body)
    const response = await connection.exchange(text)
    if (response.status > 204) throw new Error(`status ${response.status}: ${response.body}`)
    if (response.status === 201)
      own[own.length < mostIds ? own.length : sent % mostIds] = JSON.parse(response.body).id
  }
  try {
    const { times, seconds } = await generate({ senders: connections, send, ...end })
    return summarize(times, seconds)
  } finally {
    for (const { connection } of senders) connection.socket.destroy()
  }
}

/** Requests, and what they cost their server. */
export interface Costs extends Measured {
  /** Processor time of the server for a request, in microseconds. */
  readonly cpuUs: number
}

/** Like `load`, on one server. */
export async function costsOf({ url, pid }: Started, job: Omit<BenchLoad, 'urls'>): Promise<Costs> {
  const before = cpuUsOf(pid)
  const measured = await load({ ...job, urls: [url] })
  return { ...measured, cpuUs: (cpuUsOf(pid) - before) / measured.count }
}

interface Operation {
  readonly key: string
  /** Returns the n-th request, on an existing token or by the path that invokes a reactor. */
  readonly request: (n: number, id: string, reactor: string) => Request
}

const metadata = (n: number) => ({ customer: String(n % 1000) })

const create = (type: string, data: unknown, n: number): Request => ({
  method: 'POST',
  path: '/tokens',
  body: JSON.stringify({ type, data, metadata: metadata(n) }),
})

const get = (_: number, id: string): Request => ({ method: 'GET', path: `/tokens/${id}` })

/**
 * Creates of cards, and of social security numbers with their three default search indexes; reads that mask, and
 * reads that reveal and write to the audit log; an update of metadata; a page of 20 masked tokens with the total; an
 * invocation of a formula with a token.
 */
export const operations = {
  create: {
    key: keys.private,
    // A new card each time: equal ones would share their index entries.
    request: n => create('card', { number: cardNumber(n), expiration_month: 12, expiration_year: 2030 }, n),
  },
  'create indexed': {
    key: keys.private,
    request: n => create('social_security_number', String(n % 1e9).padStart(9, '0'), n),
  },
  'get masked': { key: keys.masked, request: get },
  'get revealed': { key: keys.private, request: get },
  patch: {
    key: keys.private,
    request: (n, id) => ({
      method: 'PATCH',
      path: `/tokens/${id}`,
      body: JSON.stringify({ metadata: metadata(n) }),
    }),
  },
  'list page': { key: keys.masked, request: () => ({ method: 'GET', path: '/tokens' }) },
  invoke: {
    key: keys.private,
    request: (_, id, reactor) => ({
      method: 'POST',
      path: reactor,
      body: JSON.stringify({ args: { card: `{{ ${id} }}` } }),
    }),
  },
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations
