import type { AbortSignal } from './event.child.ts'
import { bridge } from './host.child.ts'
import { Request, type RequestInit, Response, unreadBody } from './http.child.ts'
import { URL } from './url.child.ts'

/** Returns a `fetch` that the host performs: against the API for `svc`, else to origins that the operator allows. */
function fetchBy(kind: 'svc' | 'fetch', target: (request: Request) => string) {
  return async (input: unknown, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    const { signal } = request
    signal?.throwIfAborted()
    const answer = bridge.call(
      kind,
      request.method,
      target(request),
      [...request.headers],
      unreadBody(request),
    )
    const [status, headers, body] = await (signal ? orAborted(answer, signal) : answer)
    const isEmpty = status === 204 || status === 304 || body.length === 0
    return new Response(isEmpty ? null : body, { status, headers })
  }
}

function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

export const fetch = fetchBy('fetch', request => request.url)

/** A placeholder: the host decides which server the client reaches. */
export const serviceOrigin = 'https://svc.invalid'
export const serviceFetch = fetchBy('svc', request => {
  const url = new URL(request.url)
  if (url.origin !== serviceOrigin) throw new TypeError('the client can only reach its own server')
  return url.pathname + url.search
})
