import { StreamBody } from './body.child.ts'
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
    const content = unreadBody(request)
    const body = content instanceof StreamBody ? await content.read() : content
    signal?.throwIfAborted()
    const { method } = request
    // The client asks for no redirect to be followed, and the server sends none.
    const redirect = kind === 'fetch' ? request.redirect : undefined
    const answer = bridge.call(kind, method, target(request), [...request.headers], body, redirect)
    const [status, headers, bytes] = await (signal ? orAborted(answer, signal) : answer)
    const isEmpty = status === 204 || status === 304 || bytes.length === 0
    return new Response(isEmpty ? null : bytes, { status, headers })
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
