import {
  any,
  type Body,
  bodyOf,
  changeResponse,
  failing,
  intercept,
  keyOf,
  type Mutants,
  receive,
  requestFrom,
  responseFrom,
  tokenSearch,
  tokens,
} from '../mutate.ts'

const sessions = /^\/sessions$/
const authorize = /^\/sessions\/authorize$/

/** Changes every number in a value. */
function mapNumbers(value: Body, change: (number: number) => number): Body {
  if (typeof value === 'number') return change(value)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, member]) => [name, mapNumbers(member, change)])
  return Array.isArray(value) ? entries.map(([, member]) => member) : Object.fromEntries(entries)
}

/** Mutants that do what servers of other people did, unnoticed. */
export const independentMutants: Mutants = {
  // `Allow` names methods that the path does not take.
  'allows-all-methods': failing('ERR-502.allow').by(next => async request => {
    const response = await next(request)
    if (response.status !== 405) return response
    const headers = new Headers(response.headers)
    headers.set('Allow', 'DELETE, GET, PATCH, POST, PUT')
    return new Response(await response.text(), { status: 405, headers })
  }),
  // A session gets permissions that its authorizer does not hold.
  'grants-more-than-held': failing('SES-502.a', 'SES-502.rule').intercept(
    'POST',
    authorize,
    async (received, send, target) => {
      const response = await send()
      const isPrivate = keyOf(received)?.startsWith('key_prv_')
      return response.status === 403 && isPrivate ? send({ key: target.privateKey }) : response
    },
  ),
  // A token of another type counts as a duplicate.
  'deduplicates-across-types': failing('TOK-543.c').by((next, target) => {
    const made = new Map<string, Body>()
    return intercept('POST', tokens, async (received, send) => {
      const { data, type, deduplicate_token: deduplicates } = received.body ?? {}
      const name = JSON.stringify(data)
      const twin = made.get(name)
      if (deduplicates === true && twin && twin.type !== type) {
        const found = await send({ method: 'GET', path: `/tokens/${twin.id}` })
        if (found.ok) return found
      }
      const response = await send()
      if (response.ok && !twin) made.set(name, await bodyOf(response))
      return response
    })(next, target)
  }),
  // Fractions are kept in 32 bits.
  'fractions-in-32-bits': failing('DAT-010.get-decimals', 'DAT-010.patch-decimals').changeRequest(
    'POST|PATCH',
    /^\/tokens/,
    body =>
      body.data === undefined
        ? body
        : {
            ...body,
            data: mapNumbers(body.data, one => (Number.isInteger(one) ? one : Math.fround(one))),
          },
  ),
  // A search for an id finds those that begin with it.
  'finds-beginnings-of-ids': failing('SEA-019.near-prefix').intercept(
    'POST',
    tokenSearch,
    async (received, send) => {
      const response = await send()
      const [, id] = /\bid:"?([^"\s()]+)/.exec(received.body?.query ?? '') ?? []
      const body = await bodyOf(response)
      if (!response.ok || !id || body.data.length > 0) return response
      const all = await bodyOf(await send({ body: { query: '', size: 100 } }))
      const data = all.data.filter((one: Body) => one.id.startsWith(id))
      return responseFrom(response, {
        body: { ...body, data, pagination: { ...body.pagination, total_items: data.length } },
      })
    },
  ),
  // Blanks around an id are removed.
  'trims-ids': failing('TOK-002.blanks').changeRequest('POST', tokens, body =>
    typeof body.id === 'string' ? { ...body, id: body.id.trim() } : body,
  ),
  // Of several ids only the first is listed, unless they are UUIDs.
  'lists-the-first-id': failing('TOK-019.near-prefix').intercept('GET', tokens, (received, send) => {
    const query = new URLSearchParams(received.search)
    const ids = query.getAll('id')
    if (ids.length < 2 || ids.some(id => /^[\da-f-]{36}$/i.test(id))) return send()
    query.delete('id')
    query.append('id', ids[0] ?? '')
    return send({ search: `?${query}` })
  }),
  // Text is compared in normal form C.
  'compares-normal-forms': failing('SEA-009.near-decomposed', 'SEA-025.near-decomposed').changeRequest(
    'POST',
    tokenSearch,
    body => {
      const { query } = body
      if (typeof query !== 'string') return body
      const forms = [query, query.normalize('NFC'), query.normalize('NFD')]
      const different = [...new Set(forms)]
      return different.length === 1 ? body : { ...body, query: different.map(one => `(${one})`).join(' OR ') }
    },
  ),
  // A second authorization is refused, and still adds what it grants.
  'second-grants-add': failing('SES-006.a').by((next, target) => {
    const keys = new Map<string, string>()
    const more = new Set<string>()
    return intercept('GET|POST|PUT|PATCH|DELETE', any, async (received, send) => {
      const response = await send()
      if (sessions.test(received.path) && response.ok) {
        const { nonce, session_key } = await bodyOf(response)
        keys.set(nonce, session_key)
      }
      const key = keys.get(received.body?.nonce)
      if (authorize.test(received.path) && response.status === 409 && key) more.add(key)
      return response.status === 403 && more.has(keyOf(received) ?? '')
        ? send({ key: target.privateKey })
        : response
    })(next, target)
  }),
  // A create without a type makes a token of type `token`.
  'has-a-default-type': failing('TOK-005.a').changeRequest('POST', tokens, body =>
    typeof body === 'object' && body !== null && body.type === undefined ? { ...body, type: 'token' } : body,
  ),
  // A session that nobody has authorized yet may create tokens.
  'unauthorized-sessions-create': failing('SES-003.a', 'SES-014.new-create').by((next, target) => {
    const open = new Set<string>()
    const known = changeResponse('POST', sessions, body => {
      open.add(body.session_key)
      return body
    })(next, target)
    const granted = intercept('POST', authorize, async (_received, send) => {
      open.clear()
      return send()
    })(known, target)
    return intercept('POST', tokens, async (received, send) => {
      const isOpen = open.has(keyOf(received) ?? '')
      return send(isOpen ? { key: target.publicKey } : {})
    })(granted, target)
  }),
  // The first 12 characters of a key are taken for it.
  'keys-by-12-characters': failing('AUT-001.key-last-character').by((next, target) => {
    const { privateKey, publicKey, managementKey, otherPrivateKey, otherManagementKey } = target
    const known = new Map<string, string>()
    const learn = (key: unknown) => typeof key === 'string' && known.set(key.slice(0, 12), key)
    for (const key of [privateKey, publicKey, managementKey, otherPrivateKey, otherManagementKey]) learn(key)
    return async request => {
      const sent = await receive(request)
      const key = keyOf(sent)
      const whole = key === undefined || key.length < 12 ? key : (known.get(key.slice(0, 12)) ?? key)
      const response = await next(requestFrom(sent, { key: whole }))
      if (sent.method === 'POST' && response.ok && /^\/(applications|sessions)/.test(sent.path)) {
        const body = await bodyOf(response)
        learn(body?.key)
        learn(body?.session_key)
      }
      return response
    }
  }),
  // A create that a rule does not cover is refused, and stored all the same.
  'refused-by-a-rule-stores': failing('ACC-507.undone').by((next, target) => {
    const ruled = new Set<string>()
    return async request => {
      const sent = await receive(request)
      const response = await next(requestFrom(sent))
      const rules: Body[] = sent.body?.rules ?? []
      const creates = rules.some(rule => rule.permissions?.includes('token:create'))
      if (sent.path === '/applications' && sent.method === 'POST' && response.ok && creates)
        ruled.add((await bodyOf(response)).key)
      const isCreate = sent.method === 'POST' && /^\/token(s|ize)$/.test(sent.path)
      if (isCreate && response.status === 403 && ruled.has(keyOf(sent) ?? ''))
        await (await next(requestFrom(sent, { key: target.privateKey }))).arrayBuffer()
      return response
    }
  }),
  // A create with deduplication returns the newest token that it would duplicate.
  'duplicate-of-the-newest': failing('TOK-501.oldest').by((next, target) => async request => {
    const sent = await receive(request)
    const response = await next(requestFrom(sent))
    if (
      sent.path !== '/tokens' ||
      sent.method !== 'POST' ||
      response.status !== 200 ||
      keyOf(sent) !== target.privateKey
    )
      return response
    const body = await bodyOf(response)
    const query = { query: `fingerprint:"${body.fingerprint}"`, size: 100 }
    const search = {
      ...sent,
      path: '/tokens/search',
      headers: new Headers({ 'content-type': 'application/json' }),
    }
    const found = await bodyOf(await next(requestFrom(search, { key: target.privateKey, body: query })))
    const newest = (found?.data ?? []).sort(
      (a: Body, b: Body) => Date.parse(b.created_at) - Date.parse(a.created_at),
    )[0]
    return newest && newest.id !== body.id
      ? responseFrom(response, { body: { ...body, id: newest.id, created_at: newest.created_at } })
      : response
  }),
}
