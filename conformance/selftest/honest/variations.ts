import { setTimeout as wait } from 'node:timers/promises'
import { minute } from '../../src/cases/values.ts'
import type { Fetch } from '../../src/harness/transport.ts'
import { type Body, bodyOf, parsed, responseFrom } from '../mutate.ts'

/**
 * Servers that differ from ours in everything that the specification leaves open: each has to be conformant in the core
 * profile. Made of our server, like the mutants, by a change between the suite and the server.
 */
type Variation = (next: Fetch) => Fetch

const isObject = (value: Body): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
/** Members whose content belongs to the caller, which no server changes. */
const opaque = new Set(['data', 'mask', 'metadata', 'raw', 'configuration'])

/** Changes each object of a response, the innermost first, except what belongs to the caller. */
function everywhere(value: Body, change: (object: Body) => Body, name = ''): Body {
  if (Array.isArray(value)) return value.map(item => everywhere(item, change, name))
  if (!isObject(value)) return value
  const isList = Array.isArray(value.data) && 'pagination' in value
  const members = Object.entries(value).map(([key, inner]) => [
    key,
    opaque.has(key) && !(isList && key === 'data') && !(key === 'configuration' && Array.isArray(inner))
      ? inner
      : everywhere(inner, change, key),
  ])
  return change(Object.fromEntries(members))
}

const changed =
  (change: (body: Body, response: Response, request: Request) => Body): Variation =>
  next =>
  async request => {
    const response = await next(request)
    const body = await bodyOf(response)
    const to = isObject(body) ? change(body, response, request) : body
    return to === body ? response : responseFrom(response, { body: to })
  }

const pathOf = (request: Request) => new URL(request.url).pathname

/** Changes the bodies of creates and updates that are sent to these paths. */
const sent =
  (path: RegExp, change: (body: Body) => Body): Variation =>
  next =>
  async request => {
    if (!['POST', 'PATCH'].includes(request.method) || !path.test(pathOf(request))) return next(request)
    const body = parsed(await request.clone().text())
    const to = isObject(body) ? change(body) : body
    const { url, method, headers } = request
    return to === body ? next(request) : next(new Request(url, { method, headers, body: JSON.stringify(to) }))
  }

/** Returns the instant of an expiry, which is in UTC if it has no offset, or NaN. */
const instantOf = (expires: Body): number =>
  typeof expires === 'string' ? Date.parse(/T[\d:.]+$/.test(expires) ? `${expires}Z` : expires) : Number.NaN

const statuses: Readonly<Record<number, number>> = {
  201: 200,
  401: 403,
  403: 404,
  404: 410,
  409: 422,
  413: 400,
}

export const variations = {
  'another order of members': changed(body =>
    everywhere(body, object => Object.fromEntries(Object.entries(object).reverse())),
  ),

  'a search that lags': next => {
    // The first search after a write still shows what was there before.
    const seen = new Map<string, Body>()
    let isStale = false
    return async request => {
      const path = new URL(request.url).pathname
      if (path !== '/tokens/search') {
        const response = await next(request)
        if (request.method !== 'GET') isStale = true
        return response
      }
      const asked = `${request.headers.get('svc-api-key')} ${await request.clone().text()}`
      const response = await next(request)
      const body = await bodyOf(response)
      const isLate = isStale
      isStale = false
      const shown = isLate ? (seen.get(asked) ?? { ...body, data: [] }) : body
      if (!response.ok) return response
      if (!isLate) seen.set(asked, body)
      return responseFrom(response, { body: shown })
    }
  },

  'a rate limit with Retry-After': next => {
    let count = 0
    return async request => {
      count++
      if (count % 5 !== 0) return next(request)
      const after = count % 2 === 0 ? '0' : new Date().toUTCString()
      return new Response('slow down', { status: 429, headers: { 'Retry-After': after } })
    }
  },

  'times of a second': next => {
    const seconds = changed(body =>
      everywhere(body, object =>
        Object.fromEntries(
          Object.entries(object).map(([name, value]) => [
            name,
            name.endsWith('_at') && typeof value === 'string' ? value.replace(/\.\d+(?=Z|[+-])/, '') : value,
          ]),
        ),
      ),
    )(next)
    // Such a server also compares seconds.
    const bound = (time: string, fraction: string) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(time) ? time.replace('Z', `.${fraction}Z`) : time
    return async request => {
      if (!request.url.endsWith('/tokens/search')) return seconds(request)
      const text = await request.text()
      const [first, last] = ['000000', '999999']
      const body = text.replaceAll(
        /([[{])([^\s[\]{}]+) TO ([^\s[\]{}]+)([\]}])/g,
        (_all, open, start, end, close) =>
          `${open}${bound(start, open === '[' ? first : last)} TO ${bound(end, close === ']' ? last : first)}${close}`,
      )
      return seconds(new Request(request.url, { method: 'POST', headers: request.headers, body }))
    }
  },

  'no trace ids': next => async request => {
    const response = await next(request)
    const headers = new Headers(response.headers)
    headers.delete('svc-trace-id')
    const text = await response.text()
    return new Response(response.status === 204 ? null : text, { status: response.status, headers })
  },

  'other members of errors': next => async request => {
    const response = await next(request)
    if (response.status < 400) return response
    const headers = new Headers({ 'Content-Type': 'application/json' })
    const after = response.headers.get('retry-after')
    if (after !== null) headers.set('Retry-After', after)
    const error = { error: { code: 'E1', message: ['no'] } }
    return new Response(JSON.stringify(error), { status: response.status, headers })
  },

  'other links of pages': changed(body =>
    isObject(body.pagination) && Array.isArray(body.data)
      ? { data: body.data, pagination: { has_more: false, after: null } }
      : body,
  ),

  'more members, and null for those not set': changed((body, response) =>
    response.ok
      ? everywhere(body, object => ({ description: null, ...object, _links: { self: '/' }, object: 'thing' }))
      : body,
  ),

  // Also in errors, in pages, and in what is embedded; each with a value of another kind.
  'a member more in every object': changed(body =>
    everywhere(body, object => ({
      _id: Object.keys(object).length,
      ...object,
      object: { kind: 'thing', more: [null] },
      tags: [],
    })),
  ),

  '300 ms slow, with at most 20 requests a second': next => {
    let second = 0
    let count = 0
    return async request => {
      const now = Math.floor(performance.now() / 1000)
      if (now !== second) [second, count] = [now, 0]
      if (++count > 20) return new Response('slow down', { status: 429, headers: { 'Retry-After': '1' } })
      await wait(300)
      return next(request)
    }
  },

  'other defaults of the types': sent(/^\/tokens$/, body => ({
    mask: 'hidden',
    containers: ['/elsewhere/'],
    ...(body.type === 'token' ? {} : { fingerprint_expression: '{{ data | stringify }}' }),
    ...body,
  })),

  // A token is deleted at most an hour after its expiry.
  'tokens deleted 55 minutes after their expiry': next => {
    const given = new Map<string, string>()
    const later = sent(/^\/tokens(\/(?!search)[^/]+)?$/, body => {
      const ends = instantOf(body.expires_at)
      return Number.isNaN(ends) ? body : { ...body, expires_at: new Date(ends + 55 * minute).toISOString() }
    })(next)
    return async request => {
      const { expires_at } = parsed(await request.clone().text()) ?? {}
      const response = await later(request)
      const body = await bodyOf(response)
      if (!isObject(body)) return response
      if (response.ok && !Number.isNaN(instantOf(expires_at))) given.set(body.id, expires_at)
      return responseFrom(response, {
        body: everywhere(body, object =>
          object.expires_at && given.has(object.id)
            ? { ...object, expires_at: given.get(object.id) }
            : object,
        ),
      })
    }
  },

  // Core says nothing of an expression that names no token.
  'an expression that names no token is null': next => async request => {
    const text = await request.clone().text()
    const response = await next(request)
    const isOne = text.split('{{').length === 2 && pathOf(request).endsWith('/react')
    if (response.status !== 400 || !isOne) return response
    const { url, headers } = request
    return next(new Request(url, { method: 'POST', headers, body: text.replace(/"\{\{[^}]*\}\}"/, 'null') }))
  },

  'other statuses where none is named': next => async request => {
    const response = await next(request)
    const isDeletion = request.method === 'DELETE' && response.status === 204
    const status = isDeletion ? 200 : statuses[response.status]
    if (response.status === 202) return responseFrom(response, { body: {} })
    if (status === undefined) return response
    const body = await bodyOf(response)
    return responseFrom(
      response,
      response.status >= 400 && isObject(body) && 'status' in body
        ? { status, body: { ...body, status } }
        : { status },
    )
  },

  // Of an asynchronous invocation and a deletion, too, whose responses have no body. That of a PATCH is specified.
  'every success is a 200': next => async request => {
    const response = await next(request)
    const isOpen =
      response.status === 204 ? request.method === 'DELETE' : [201, 202].includes(response.status)
    return isOpen ? responseFrom(response, { status: 200 }) : response
  },
} satisfies Record<string, Variation>
