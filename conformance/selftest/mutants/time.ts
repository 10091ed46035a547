import { hour, minute } from '../../src/cases/values.ts'
import {
  any,
  type Body,
  bodyOf,
  changeResponse,
  failing,
  intercept,
  keyOf,
  type Mutant,
  type Mutants,
  madeUp,
  requestFrom,
  responseFrom,
  token,
  tokenSearch,
  tokens,
} from '../mutate.ts'

const day = 24 * hour

/** A mutant that knows the time of the server. */
const timed =
  (make: (now: () => number) => Mutant['change']): Mutant['change'] =>
  (next, target) => {
    let ahead = 0
    const inner = make(() => Date.now() + ahead)(next, target)
    return async request => {
      if (new URL(request.url).pathname === '/_dev/clock')
        ahead += ((await request.clone().json()) as { advance_ms: number }).advance_ms
      return inner(request)
    }
  }

/** Stores an expiry with another offset, and shows the one that was given. */
const offsets =
  (change: (expires: string) => string): Mutant['change'] =>
  (next, target) => {
    const given = new Map<string, string>()
    const show = (body: Body) => (given.has(body?.id) ? { ...body, expires_at: given.get(body.id) } : body)
    return intercept('GET|POST|PATCH', /^\/tokens(\/(?!search)[^/]+)?$/, async received => {
      const { expires_at } = received.body ?? {}
      const isOffset = typeof expires_at === 'string' && /T.*[+-]\d\d:\d\d$/.test(expires_at)
      const response = await next(
        requestFrom(received, isOffset ? { body: { ...received.body, expires_at: change(expires_at) } } : {}),
      )
      const body = await bodyOf(response)
      if (!response.ok || typeof body?.id !== 'string') return response
      if (isOffset) given.set(body.id, expires_at)
      return responseFrom(response, { body: show(body) })
    })(next, target)
  }

/** Hides the cvc of cards, or shows it, by their age. */
const cvcUntil = (age: number): Mutant['change'] =>
  timed(now => (next, target) => {
    const kept = new Map<string, string>()
    const remember = changeResponse('POST', tokens, (body, received) => {
      const cvc = received.body?.data?.cvc
      if (typeof cvc === 'string' && body.type === 'card') kept.set(body.id, cvc)
      return body
    })(next, target)
    return changeResponse('GET', token, body => {
      const cvc = kept.get(body.id)
      if (cvc === undefined || typeof body.data !== 'object') return body
      const { cvc: _gone, ...rest } = body.data
      return { ...body, data: now() - Date.parse(body.created_at) < age ? { ...rest, cvc } : rest }
    })(remember, target)
  })

const none = new Uint8Array()

/** A token that is made under the id of a deleted one has its metadata, unless it has some of its own. */
const keepsMetadata: Mutant['change'] = (next, target) => {
  const before = new Map<string, Body>()
  const remember = intercept('DELETE', token, async received => {
    const read = await bodyOf(await next(requestFrom(received, { method: 'GET', key: target.privateKey })))
    if (read?.metadata) before.set(received.path, read.metadata)
    return next(requestFrom(received))
  })(next, target)
  return changeResponse('GET', token, (body, { path }) => ({ metadata: before.get(path), ...body }))(
    remember,
    target,
  )
}

/** The key of an application goes on working when the application is deleted. */
const keyGoesOn: Mutant['change'] = (next, target) => {
  const keys = new Map<string, string>()
  const gone = new Set<string>()
  const made = changeResponse('POST', /^\/applications$/, body => {
    keys.set(`/applications/${body.id}`, body.key)
    return body
  })(next, target)
  return intercept('GET|POST|PATCH|DELETE', any, async received => {
    const response = await made(requestFrom(received))
    const key = keyOf(received) ?? ''
    const deleted = received.method === 'DELETE' && response.ok ? keys.get(received.path) : undefined
    if (deleted !== undefined) gone.add(deleted)
    return response.status === 401 && gone.has(key)
      ? next(requestFrom(received, { key: target.privateKey }))
      : response
  })(made, target)
}

/** Mutants of time, and of tokens that take the place of others. */
export const timeMutants: Mutants = {
  'offset-reversed': failing('TOK-012.instants').by(
    offsets(expires =>
      expires.replace(/([+-])(\d\d:\d\d)$/, (_all, sign, rest) => `${sign === '+' ? '-' : '+'}${rest}`),
    ),
  ),
  'cvc-for-65-minutes': failing('DAT-009.minutes').by(cvcUntil(65 * minute)),
  // A token ends after a year at the latest.
  'ends-after-a-year': failing('TOK-039.beyond-a-year').by(
    timed(now =>
      intercept('GET', token, async (_received, send) => {
        const response = await send()
        const body = await bodyOf(response)
        return response.ok && now() - Date.parse(body.created_at) > 366 * day
          ? responseFrom(response, {
              status: 404,
              body: { type: 'about:blank', title: 'Not found', status: 404 },
            })
          : response
      }),
    ),
  ),
  'order-of-changes': failing('PAG-503.changed').setInResponse('GET', tokens, body => ({
    data: [...body.data].sort((a: Body, b: Body) =>
      (a.modified_at ?? a.created_at) < (b.modified_at ?? b.created_at) ? 1 : -1,
    ),
  })),
  // A deduplicating create returns a token that was deleted.
  'deduplicates-into-the-deleted': failing('TOK-543.b').by((next, target) => {
    const made = new Map<string, { text: string; path: string }>()
    const deleted = new Set<string>()
    const remember = intercept('DELETE', token, async (received, send) => {
      const response = await send()
      if (response.ok) deleted.add(received.path)
      return response
    })(next, target)
    return intercept('POST', tokens, async received => {
      const name = `${keyOf(received)} ${JSON.stringify([received.body?.type, received.body?.data])}`
      const known = made.get(name)
      if (received.body?.deduplicate_token === true && known && deleted.has(known.path))
        return madeUp(known.text, 200)
      const response = await remember(requestFrom(received))
      const body = await bodyOf(response)
      if (response.ok) made.set(name, { text: JSON.stringify(body), path: `/tokens/${body.id}` })
      return response
    })(remember, target)
  }),
  // A search by the fingerprint of a deleted token finds it.
  'finds-the-deleted-by-fingerprint': failing('SEA-021.deleted').by((next, target) => {
    const made = new Map<string, Body>()
    const gone = new Map<string, Body>()
    return intercept('POST|DELETE', /^\/tokens/, async received => {
      const response = await next(requestFrom(received))
      if (!response.ok) return response
      if (received.method === 'DELETE') {
        const token = made.get(received.path.slice('/tokens/'.length))
        if (token) gone.set(token.fingerprint, token)
        return response
      }
      const body = await bodyOf(response)
      if (tokens.test(received.path)) made.set(body.id, body)
      const query = String(received.body?.query ?? '')
      const token = gone.get(/fingerprint:"([^"]+)"/.exec(query)?.[1] ?? '')
      return token && query.includes(token.containers[0]) && Array.isArray(body.data)
        ? responseFrom(response, { body: { ...body, data: [...body.data, token] } })
        : response
    })(next, target)
  }),
  'renewed-token-keeps-metadata': failing('TOK-037.renewed-without-metadata').by(keepsMetadata),
  'key-of-a-deleted-application': failing('APP-504.a').by(keyGoesOn),
  'late-refusal-moves-token': failing('SEA-026.update-index-of-nothing-undone').intercept(
    'PATCH',
    token,
    async (received, send) => {
      const response = await send()
      const { containers, search_indexes } = received.body ?? {}
      if (response.status === 400 && containers && search_indexes) await send({ body: { containers } })
      return response
    },
  ),
  'types-share-fingerprints': failing('TOK-016.same-data-of-two-types').intercept(
    'POST',
    tokens,
    async (received, send) => {
      const response = await send()
      const { id: _, ...given } = received.body ?? {}
      if (!response.ok || given.type !== 'card_number' || !given.fingerprint_expression) return response
      const plain = await bodyOf(await send({ body: { ...given, type: 'token' } }))
      await send({ method: 'DELETE', path: `/tokens/${plain.id}`, text: '', bytes: none })
      const { fingerprint } = plain
      return responseFrom(response, { body: { ...(await bodyOf(response)), fingerprint } })
    },
  ),
  'queries-are-trimmed': failing('TOK-053.blank-values', 'SEA-025.blank-second').setInRequest(
    'POST',
    tokenSearch,
    body => ({
      ...(body.query && {
        query: body.query.replaceAll(/\b(data|metadata\.\w+):"\s*([^"]*?)\s*"(?=[ )]|$)/g, '$1:"$2"'),
      }),
    }),
  ),
  'a-page-too-many-if-even': failing('PAG-502.even').changeResponse('GET', tokens, body => {
    const { total_items, page_size, total_pages } = body.pagination
    const isEven = total_items > 0 && total_items % page_size === 0
    return { ...body, pagination: { ...body.pagination, total_pages: total_pages + (isEven ? 1 : 0) } }
  }),
}
