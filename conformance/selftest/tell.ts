import type { Fetch, Target } from '../src/harness/target.ts'

/** A server that is honest in all but one thing, told between the suite and the reference server. */
export interface Lie {
  /** Cases that have to turn red. */
  readonly turns: readonly string[]
  /** A case that has to stay green; `DAT-001.a` unless it says so. */
  readonly control?: string
  tell(next: Fetch, target: Target): Fetch
}

// biome-ignore lint/suspicious/noExplicitAny: a lie is told about bodies of any form
export type Body = any

/** A request that was read, so that it can be sent again and otherwise. */
export interface Heard {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly headers: Headers
  readonly text: string
  readonly body: Body
}

export async function hear(request: Request): Promise<Heard> {
  const { pathname: path, search } = new URL(request.url)
  const text = await request.text()
  return { method: request.method, path, search, headers: request.headers, text, body: parsed(text) }
}

/** The request as it was heard, but for what is changed. */
export function say(
  heard: Heard,
  changes: Partial<Heard> & { readonly key?: string | undefined } = {},
): Request {
  const { method, path, search, text, body } = { ...heard, ...changes }
  const headers = new Headers(changes.headers ?? heard.headers)
  if (changes.key !== undefined) headers.set('SVC-API-KEY', changes.key)
  const payload = 'body' in changes ? JSON.stringify(body) : text
  return new Request(`http://vault${path}${search}`, {
    method,
    headers,
    ...(payload === '' || method === 'GET' ? {} : { body: payload }),
  })
}

export const keyOf = (heard: Heard) => heard.headers.get('SVC-API-KEY') ?? undefined

export async function bodyOf(response: Response): Promise<Body> {
  return parsed(await response.clone().text())
}

/** The response with another status or body. */
export async function reply(response: Response, changes: { readonly status?: number; readonly body?: Body }) {
  const headers = new Headers(response.headers)
  headers.delete('content-length')
  const status = changes.status ?? response.status
  const text =
    'body' in changes
      ? changes.body === undefined
        ? ''
        : JSON.stringify(changes.body)
      : await response.text()
  return new Response(status === 204 ? null : text, { status, headers })
}

/** Tells something else about a kind of request, and lets all others pass. */
export function about(
  method: string,
  path: RegExp,
  tell: (heard: Heard, next: Fetch, target: Target) => Promise<Response>,
): Lie['tell'] {
  return (next, target) => async request => {
    const { pathname } = new URL(request.url)
    if (!method.split('|').includes(request.method) || !path.test(pathname)) return next(request)
    return tell(await hear(request), next, target)
  }
}

/** Hears another body than the one that was sent. */
export const mishears = (method: string, path: RegExp, change: (body: Body) => Body): Lie['tell'] =>
  about(method, path, (heard, next) =>
    next(say(heard, heard.body === undefined ? {} : { body: change(heard.body) })),
  )

/** Answers another body than the true one, where the answer is a success. */
export const rewords = (
  method: string,
  path: RegExp,
  change: (body: Body, heard: Heard) => Body,
): Lie['tell'] =>
  about(method, path, async (heard, next) => {
    const response = await next(say(heard))
    const body = await bodyOf(response)
    return response.ok && body !== undefined ? reply(response, { body: change(body, heard) }) : response
  })

/** Answers one status in the place of another, with a body if one is given. */
export const restates = (
  method: string,
  path: RegExp,
  from: number,
  to: number,
  body?: { readonly body: Body },
) =>
  about(method, path, async (heard, next) => {
    const response = await next(say(heard))
    return response.status === from ? reply(response, { status: to, ...body }) : response
  })

/** Where the true answer has one of these statuses, asks again with a key that may do more. */
export const pretends = (
  method: string,
  path: RegExp,
  statuses: readonly number[],
  keys: (target: Target) => readonly (string | undefined)[],
) =>
  about(method, path, async (heard, next, target) => {
    let response = await next(say(heard))
    for (const key of keys(target))
      if (statuses.includes(response.status)) response = await next(say(heard, { key }))
    return response
  })

export const token = /^\/tokens\/(?!search)[^/]+$/
export const tokens = /^\/tokens$/
export const tokenSearch = /^\/tokens\/search$/
export const listOrSearch = /^\/tokens(\/search)?$/
export const react = /^\/reactors\/[^/]+\/react$/
export const any = /./

function parsed(text: string): Body {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
