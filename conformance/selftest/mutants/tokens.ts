import {
  any,
  type Body,
  bodyOf,
  changeResponse,
  failing,
  intercept,
  type Mutants,
  responseFrom,
  token,
  tokens,
} from '../mutate.ts'

/** Mutants of tokens. */
export const tokensMutants: Mutants = {
  // The third argument of alias_card is ignored.
  'aliases-always-pass': failing('TOK-554.a').setInRequest('POST', tokens, body => ({
    id: typeof body.id === 'string' ? body.id.replace(/(alias_card: \w+, \w+), false/, '$1') : body.id,
  })),
  // An update is accepted in any content type.
  'accepts-any-type': failing('TOK-026.a').intercept('PATCH', token, (received, send) => {
    const headers = new Headers(received.headers)
    headers.set('Content-Type', 'application/merge-patch+json')
    return send({ headers })
  }),
  // A routing number with a wrong checksum is accepted.
  'checksum-unchecked': {
    ...failing('DAT-001.a').changeRequest('POST', tokens, body =>
      body.type === 'bank' && /^\d{9}$/.test(body.data?.routing_number)
        ? { ...body, data: { ...body.data, routing_number: '110000000' } }
        : body,
    ),
    control: 'DAT-005.a',
  },
  // An update leaves containers as they are.
  'containers-stay': failing('TOK-030.a', 'ACC-506.a').setInRequest('PATCH', token, {
    containers: undefined,
  }),
  // A deduplicating create stores another token.
  'dedupe-duplicates': failing('TOK-501.a', 'TOK-502.a').setInRequest('POST', tokens, {
    deduplicate_token: undefined,
  }),
  // The response to a delete is a 204, but the token still exists.
  'deletes-nothing': failing('TOK-037.a', 'SEA-035.a').intercept(
    'DELETE',
    token,
    async () => new Response(null, { status: 204, headers: { 'SVC-TRACE-ID': 'lie' } }),
  ),
  // A card never has a cvc.
  'drops-cvc-early': failing('DAT-009.a', 'LIM-001.a').changeResponse('GET', token, body =>
    body.data?.cvc ? { ...body, data: { ...body.data, cvc: undefined } } : body,
  ),
  // A create with deduplication is answered with any token of the same fingerprint.
  'deduplicates-by-fingerprint': failing('TOK-548.create', 'TOK-549.create').intercept(
    'POST',
    tokens,
    async (received, send, target) => {
      const response = await send()
      if (response.status !== 201 || received.body?.deduplicate_token !== true) return response
      const body = await bodyOf(response)
      const query = JSON.stringify({ query: `fingerprint:${body.fingerprint}` })
      const search = { path: '/tokens/search', text: query, key: target.privateKey }
      const found = await bodyOf(await send(search))
      return responseFrom(response, { body: found.data.at(-1) })
    },
  ),
  // An update to a duplicate shows all data of the original.
  'duplicate-shows-all': failing('TOK-035.a').intercept('PATCH', token, async (received, send, target) => {
    const response = await send()
    if (!response.ok || received.body?.deduplicate_token !== true) return response
    const { id } = await bodyOf(response)
    return send({ method: 'GET', path: `/tokens/${id}`, key: target.privateKey })
  }),
  // Only the first of several metadata filters is used.
  'filters-by-one-entry': failing('TOK-022.a').intercept('GET', tokens, (received, send) =>
    send({ search: received.search.replace(/(metadata\.[^&]+)&metadata\.[^&]+/, '$1') }),
  ),
  // Every token has another fingerprint.
  'fingerprint-always-new': failing('TOK-016.a', 'TOK-017.a').setInResponse('POST', tokens, () => ({
    fingerprint: crypto.randomUUID(),
  })),
  // Idempotency keys are ignored.
  'idempotency-ignored': failing('IDE-501.a', 'IDE-502.a').intercept('POST', tokens, (received, send) => {
    const headers = new Headers(received.headers)
    headers.delete('SVC-IDEMPOTENCY-KEY')
    return send({ headers })
  }),
  // A token that was read once can be read after its expiry.
  'ignores-expiry': failing('TOK-039.a', 'TOK-508.a').by(next => {
    const seen = new Map<string, string>()
    return async request => {
      const { pathname } = new URL(request.url)
      const response = await next(request)
      if (request.method === 'DELETE') seen.delete(pathname)
      if (request.method !== 'GET' || !token.test(pathname)) return response
      const text = await response.clone().text()
      if (response.ok) seen.set(pathname, text)
      const old = seen.get(pathname)
      if (response.status !== 404 || old === undefined) return response
      return Response.json(JSON.parse(old), { headers: { 'SVC-TRACE-ID': 'lie' } })
    }
  }),
  // A supplied id is ignored.
  'ignores-supplied-id': failing('TOK-002.a', 'TOK-503.a').setInRequest('POST', tokens, { id: undefined }),
  // A list ignores its filter by type.
  'ignores-type-filter': failing('TOK-020.a').intercept('GET', tokens, (received, send) =>
    send({ search: received.search.replaceAll(/type=\w+&?/g, '') }),
  ),
  // A cvc is never erased.
  'keeps-cvc': failing('DAT-009.a', 'TOK-511.a').by((next, target) => {
    const kept = new Map<string, string>()
    const remember = intercept('POST', tokens, async (received, send) => {
      const response = await send()
      const { cvc } = received.body?.data ?? {}
      if (response.ok && typeof cvc === 'string') kept.set((await bodyOf(response)).id, cvc)
      return response
    })
    const show = changeResponse('GET', token, body =>
      kept.has(body.id) ? { ...body, data: { ...body.data, cvc: kept.get(body.id) } } : body,
    )
    return show(remember(next, target), target)
  }),
  // A read shows all data to callers that may see the mask.
  'leaks-under-mask': failing('TOK-025.a', 'TOK-044.a', 'ACC-504.a').intercept(
    'GET',
    token,
    async (_received, send, target) => {
      const response = await send()
      const body = await bodyOf(response)
      if (!response.ok || body.data === undefined) return response
      const whole = await bodyOf(await send({ key: target.privateKey }))
      return responseFrom(response, { body: { ...body, data: whole.data } })
    },
  ),
  // A list shows all data to callers that may see none.
  'leaks-under-redact': failing('TOK-024.a').intercept('GET', tokens, async (_received, send, target) => {
    const response = await send()
    const body = await bodyOf(response)
    if (!response.ok || body.data.every((one: Body) => one.data !== undefined)) return response
    return send({ key: target.privateKey })
  }),
  // A time without an offset is read as UTC+1.
  'local-time': failing('TOK-013.a').changeRequest('POST', tokens, body =>
    /T[\d:]+$/.test(body.expires_at) ? { ...body, expires_at: `${body.expires_at}+01:00` } : body,
  ),
  // The response to a create has no metadata.
  'metadata-not-echoed': failing('TOK-007.a').changeResponse(
    'POST',
    tokens,
    ({ metadata: _gone, ...body }) => body,
  ),
  // An update replaces metadata instead of merging it.
  'metadata-replaced': failing('TOK-029.a').intercept('PATCH', token, async (received, send) => {
    const { metadata } = received.body ?? {}
    if (typeof metadata !== 'object' || metadata === null) return send()
    await (await send({ body: { metadata: null } })).arrayBuffer()
    return send()
  }),
  // The response to a create has no tenant.
  'no-tenant': {
    ...failing('TOK-008.a', 'TOK-001.a').changeResponse(
      'POST',
      tokens,
      ({ tenant_id: _gone, ...body }) => body,
    ),
    control: 'SES-001.a',
  },
  // An update replaces data instead of merging it.
  'patch-replaces': failing('TOK-027.a').intercept('PATCH', token, async (received, send, target) => {
    const now = await bodyOf(await send({ method: 'GET', key: target.privateKey }))
    const { data } = received.body ?? {}
    if (typeof data !== 'object' || typeof now?.data !== 'object') return send()
    const gone = Object.fromEntries(Object.keys(now.data).map(name => [name, null]))
    return send({ body: { ...received.body, data: { ...gone, ...data } } })
  }),
  // The response to an invalid token is a 500.
  'refusals-as-500': {
    ...failing('DAT-002.a', 'TOK-005.a').changeStatus('POST', tokens, 400, 500),
    control: 'TOK-001.a',
  },
  // The response to a create shows all data.
  'reveals-on-create': failing('TOK-009.a').setInResponse('POST', tokens, (_, received) => ({
    data: received.body.data,
  })),
  // A token has a member that is not in the contract.
  'undocumented-member': failing('WIR-546.token').setInResponse('GET', token, { debug: true }),
  // The response for a token that does not exist is a 410.
  'undocumented-status': failing('TOK-038.a').changeStatus('DELETE', token, 404, 410),
  // The response to a wrong content type is a 400.
  'unsupported-type-as-400': failing('TOK-026.a', 'REA-011.a').changeStatus('PATCH', any, 415, 400),
  // The response to an update is the token before the update.
  'update-answers-the-old': failing('TOK-034.a').intercept(
    'PATCH',
    token,
    async (_received, send, target) => {
      const before = await bodyOf(await send({ method: 'GET', key: target.privateKey }))
      const response = await send()
      return response.ok ? responseFrom(response, { body: before }) : response
    },
  ),
}
