import {
  any,
  type Body,
  bodyOf,
  changeRequest,
  changeResponse,
  intercept,
  keyOf,
  type Mutant,
  type Mutants,
  requestFrom,
  responseFrom,
  token,
  tokenSearch,
  tokens,
} from '../mutate.ts'

const none = new Uint8Array()

/** A token that is made under the id of a deleted one has its metadata, unless it has some of its own. */
const keepsMetadata: Mutant['change'] = (next, target) => {
  const before = new Map<string, Body>()
  const remember = intercept('DELETE', token, async received => {
    const read = await bodyOf(
      await next(requestFrom(received, { method: 'GET', key: target.privateKey, bytes: none, text: '' })),
    )
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

/** Mutants that keep something of what is over, or forget a difference. */
export const tracesMutants: Mutants = {
  'renewed-token-keeps-metadata': {
    failing: ['TOK-037.renewed-without-metadata'],
    change: keepsMetadata,
  },
  'key-of-a-deleted-application': { failing: ['APP-504.a'], change: keyGoesOn },
  'late-refusal-moves-token': {
    failing: ['SEA-026.update-index-of-nothing-undone'],
    change: intercept('PATCH', token, async (received, next) => {
      const response = await next(requestFrom(received))
      const { containers, search_indexes } = received.body ?? {}
      if (response.status === 400 && containers && search_indexes)
        await next(requestFrom(received, { body: { containers } }))
      return response
    }),
  },
  'types-share-fingerprints': {
    failing: ['TOK-016.same-data-of-two-types'],
    change: intercept('POST', tokens, async (received, next) => {
      const response = await next(requestFrom(received))
      const { id: _, ...given } = received.body ?? {}
      if (!response.ok || given.type !== 'card_number' || !given.fingerprint_expression) return response
      const plain = await bodyOf(await next(requestFrom(received, { body: { ...given, type: 'token' } })))
      await next(
        requestFrom(received, { method: 'DELETE', path: `/tokens/${plain.id}`, text: '', bytes: none }),
      )
      const { fingerprint } = plain
      return responseFrom(response, { body: { ...(await bodyOf(response)), fingerprint } })
    }),
  },
  'queries-are-trimmed': {
    failing: ['TOK-053.blank-values', 'SEA-025.blank-second'],
    change: changeRequest('POST', tokenSearch, body => ({
      ...body,
      ...(body.query && {
        query: body.query.replaceAll(/\b(data|metadata\.\w+):"\s*([^"]*?)\s*"(?=[ )]|$)/g, '$1:"$2"'),
      }),
    })),
  },
  'a-page-too-many-if-even': {
    failing: ['PAG-502.even'],
    change: changeResponse('GET', tokens, body => {
      const { total_items, page_size, total_pages } = body.pagination
      const isEven = total_items > 0 && total_items % page_size === 0
      return { ...body, pagination: { ...body.pagination, total_pages: total_pages + (isEven ? 1 : 0) } }
    }),
  },
}
