import { type Fetch, Surrogate, type SurrogateError, type SurrogateOptions } from '../src/index.ts'
import type { Waits } from '../src/retry.ts'

/** Responds to a request of the fake server, or throws like a broken connection. */
export type Responder = (request: Request, body: string) => Response | Promise<Response>

interface Sent {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Headers
  readonly body: string
}

export const apiKey = 'key_prv_secret_of_the_tests'

/** Creates a client that gets its responses from `answers` in turn (the last one repeats) and never really waits. */
export function fakeClient(answers: Responder | Responder[], options: Partial<SurrogateOptions> = {}) {
  const script = Array.isArray(answers) ? answers : [answers]
  const sent: Sent[] = []
  const slept: number[] = []
  const fetch: Fetch = async (url, init) => {
    const request = new Request(url, init)
    const { pathname, search } = new URL(request.url)
    const body = await request.text()
    sent.push({ method: request.method, path: pathname, query: search, headers: request.headers, body })
    const answer = script[Math.min(sent.length, script.length) - 1]
    if (!answer) throw new Error('no answer is left')
    return answer(request, body)
  }
  const waits: Waits = {
    sleep: async ms => {
      slept.push(ms)
    },
    random: () => 1,
    now: () => Date.parse('2030-01-01T00:00:00Z'),
  }
  const surrogate = new Surrogate({ apiKey, baseUrl: 'http://vault.test', fetch, ...options }, waits)
  return { surrogate, sent, slept }
}

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } })

export const problem = (
  status: number,
  code: string,
  more: object = {},
  headers: Record<string, string> = {},
) =>
  json(
    {
      type: `urn:surrogate:error:${code}`,
      title: 'Title',
      status,
      detail: 'Detail.',
      instance: '/x',
      ...more,
    },
    status,
    { 'Content-Type': 'application/problem+json', 'SVC-TRACE-ID': 'trace-1', ...headers },
  )

export const empty = (status = 204) => new Response(null, { status })

export const dropped = (): never => {
  throw new TypeError('fetch failed')
}

export const page = (data: unknown[], total_items: number, page_number = 1, page_size = 2) =>
  json({
    pagination: { total_items, page_number, page_size, total_pages: Math.ceil(total_items / page_size) },
    data,
  })

/** Returns the error that a call fails with. */
export async function failure<E = SurrogateError>(call: PromiseLike<unknown>): Promise<E> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  if (!outcome) throw new Error('should have failed')
  return outcome.error as E
}
