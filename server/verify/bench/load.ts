import autocannon from 'autocannon'
import { keys } from '../support/callers.ts'
import { cardNumber } from '../support/canaries.ts'
import { type Measured, summarize } from './figures.ts'
import { cpuUsOf, type Started } from './servers.ts'

export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: string
}

export interface Load {
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
export async function load(job: Load): Promise<Measured> {
  const { urls, keys, connections, seconds = 1, requests, ids = [] } = job
  const times: number[] = []
  let opened = 0
  let failure: Error | undefined
  let fail: (error: Error) => void
  const startMs = performance.now()
  const endMs = requests === undefined ? startMs + seconds * 1000 : Number.POSITIVE_INFINITY
  let lastMs = startMs

  const setupClient = (client: autocannon.Client): void => {
    const tenant = Math.floor(opened++ / urls.length) % keys.length
    ids[tenant] ??= []
    const own = ids[tenant]
    const setupRequest = (given: autocannon.Request): autocannon.Request => {
      const { method, path, body } = job.request(sent++, own[Math.floor(Math.random() * own.length)] ?? '')
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const headers = { 'SVC-API-KEY': keys[tenant], ...(body === undefined ? {} : { 'Content-Type': type }) }
      return { ...given, method, path, headers, ...(body === undefined ? {} : { body }) }
    }
    const onResponse = (status: number, body: string): void => {
      if (status < 200 || status > 204) fail(new Error(`status ${status}: ${body}`))
      else if (status === 201) own[own.length < mostIds ? own.length : sent % mostIds] = JSON.parse(body).id
    }
    client.setRequests([{ setupRequest, onResponse }])
  }

  await new Promise<void>((resolve, reject) => {
    const options = {
      // The types lack lists of URLs.
      url: urls as unknown as string,
      connections,
      duration: seconds,
      // How soon it ends after its duration.
      sampleInt: 100,
      setupClient,
      ...(requests === undefined ? {} : { amount: requests }),
    }
    const running = autocannon(options, error => (error ? reject(error) : resolve()))
    fail = error => {
      failure ??= error
      running.stop()
    }
    running.on('reqError', fail)
    running.on('response', (_client, _status, _bytes, ms) => {
      const nowMs = performance.now()
      // Later responses are not counted: they had fewer and fewer concurrent requests.
      if (nowMs > endMs) return
      lastMs = nowMs
      times.push(ms)
    })
  })
  if (failure) throw failure
  return summarize(times, requests === undefined ? seconds : (lastMs - startMs) / 1000)
}

/** Requests, and what they cost their server. */
export interface Costs extends Measured {
  /** Processor time of the server for a request, in microseconds. */
  readonly cpuUs: number
}

/** Like `load`, on one server. */
export async function costsOf({ url, pid }: Started, job: Omit<Load, 'urls'>): Promise<Costs> {
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
