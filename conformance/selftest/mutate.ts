import type { Target } from '../src/harness/target.ts'
import type { Fetch } from '../src/harness/transport.ts'

/** The reference server with one fault, which is added between the suite and the server. */
export interface Mutant {
  /** Cases that have to fail. */
  readonly failing: readonly string[]
  /** A case that has to pass. Default `DAT-001.a`. */
  readonly control?: string
  change(next: Fetch, target: Target): Fetch
}

/** Mutants by name. */
export type Mutants = Readonly<Record<string, Mutant>>

// biome-ignore lint/suspicious/noExplicitAny: mutants change bodies of any form
export type Body = any

/** A request whose body was read, so that it can be sent several times and with changes. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly headers: Headers
  /** The body as it was sent, which may not be UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly text: string
  readonly body: Body
}

/** Reads a request, so that it can be sent again with changes. */
export async function receive(request: Request): Promise<Received> {
  const { pathname: path, search } = new URL(request.url)
  const bytes = new Uint8Array(await request.arrayBuffer())
  const text = new TextDecoder().decode(bytes)
  return { method: request.method, path, search, headers: request.headers, bytes, text, body: parsed(text) }
}

/** Returns the received request with these changes. */
export function requestFrom(
  received: Received,
  changes: Partial<Received> & { readonly key?: string | undefined } = {},
): Request {
  const { method, path, search, bytes, text, body } = { ...received, ...changes }
  const headers = new Headers(changes.headers ?? received.headers)
  if (changes.key !== undefined) headers.set('SVC-API-KEY', changes.key)
  // A body that is not changed stays as it was spelled.
  const isChanged = 'body' in changes && JSON.stringify(body) !== JSON.stringify(received.body)
  const payload = isChanged ? JSON.stringify(body) : text === new TextDecoder().decode(bytes) ? bytes : text
  return new Request(`http://vault${path}${search}`, {
    method,
    headers,
    ...(payload.length === 0 || method === 'GET' ? {} : { body: payload }),
  })
}

export const keyOf = (received: Received) => received.headers.get('SVC-API-KEY') ?? undefined

export async function bodyOf(response: Response): Promise<Body> {
  return parsed(await response.clone().text())
}

/** Returns the response with another status or body. */
export async function responseFrom(
  response: Response,
  changes: { readonly status?: number; readonly body?: Body },
) {
  const headers = new Headers(response.headers)
  headers.delete('content-length')
  const status = changes.status ?? response.status
  const body =
    'body' in changes ? (changes.body === undefined ? '' : JSON.stringify(changes.body)) : response.body
  return new Response(status === 204 ? null : body, { status, headers })
}

/** Returns a response with a body of JSON that no server made. */
export function madeUp(text: string, status: number): Response {
  const headers = { 'Content-Type': 'application/json', 'SVC-TRACE-ID': 'lie', 'Cache-Control': 'no-store' }
  return new Response(text, { status, headers })
}

/** Sends the request that was received on, with changes. */
type Send = (changes?: Parameters<typeof requestFrom>[1]) => Promise<Response>

/** Handles requests with this method (or one of several, separated by `|`) and path; passes on all others. */
export function intercept(
  method: string,
  path: RegExp,
  handle: (received: Received, send: Send, target: Target) => Promise<Response>,
): Mutant['change'] {
  return (next, target) => async request => {
    const { pathname } = new URL(request.url)
    if (!method.split('|').includes(request.method) || !path.test(pathname)) return next(request)
    const received = await receive(request)
    return handle(received, changes => next(requestFrom(received, changes)), target)
  }
}

type Change = (body: Body, received: Received) => Body

/** Changes the body of a request. */
export const changeRequest = (method: string, path: RegExp, change: Change): Mutant['change'] =>
  intercept(method, path, (received, send) => {
    const { body } = received
    return send(body === undefined ? {} : { body: change(body, received) })
  })

/** Changes the body of a successful response. */
export const changeResponse = (method: string, path: RegExp, change: Change): Mutant['change'] =>
  intercept(method, path, async (received, send) => {
    const response = await send()
    const body = await bodyOf(response)
    return response.ok && body !== undefined
      ? responseFrom(response, { body: change(body, received) })
      : response
  })

/** Replaces one status of responses by another, and the body if one is given. */
export const changeStatus = (
  method: string,
  path: RegExp,
  from: number,
  to: number,
  ...body: readonly Body[]
) =>
  intercept(method, path, async (_received, send) => {
    const response = await send()
    return response.status === from
      ? responseFrom(response, body.length > 0 ? { status: to, body: body[0] } : { status: to })
      : response
  })

/** Sends a request again with keys that may do more, if its response has one of these statuses. */
export const useKeys = (
  method: string,
  path: RegExp,
  statuses: readonly number[],
  ...keys: readonly (keyof Target & `${string}Key`)[]
) =>
  intercept(method, path, async (_received, send, target) => {
    let response = await send()
    for (const key of keys)
      if (statuses.includes(response.status)) response = await send({ key: target[key] })
    return response
  })

/** Members of a body, or what makes them of it. */
type Members = object | ((body: Body, received: Received) => object)

const setting =
  (members: Members): Change =>
  (body, received) => ({ ...body, ...(typeof members === 'function' ? members(body, received) : members) })

/** Sets members of the body of a request. */
const setInRequest = (method: string, path: RegExp, members: Members) =>
  changeRequest(method, path, setting(members))

/** Sets members of the body of a successful response. */
const setInResponse = (method: string, path: RegExp, members: Members) =>
  changeResponse(method, path, setting(members))

/** Returns ways to say what a mutant changes, so that these cases fail. */
export function failing(...failing: readonly string[]) {
  const by = (change: Mutant['change']): Mutant => ({ failing, change })
  return {
    by,
    intercept: (...given: Parameters<typeof intercept>) => by(intercept(...given)),
    changeRequest: (...given: Parameters<typeof changeRequest>) => by(changeRequest(...given)),
    changeResponse: (...given: Parameters<typeof changeResponse>) => by(changeResponse(...given)),
    setInRequest: (...given: Parameters<typeof setInRequest>) => by(setInRequest(...given)),
    setInResponse: (...given: Parameters<typeof setInResponse>) => by(setInResponse(...given)),
    changeStatus: (...given: Parameters<typeof changeStatus>) => by(changeStatus(...given)),
    useKeys: (...given: Parameters<typeof useKeys>) => by(useKeys(...given)),
  }
}

export const token = /^\/tokens\/(?!search)[^/]+$/
export const tokens = /^\/tokens$/
export const tokenSearch = /^\/tokens\/search$/
export const listOrSearch = /^\/tokens(\/search)?$/
export const react = /^\/reactors\/[^/]+\/react$/
export const any = /./

export function parsed(text: string): Body {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
