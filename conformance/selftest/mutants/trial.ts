import {
  type Body,
  bodyOf,
  keyOf,
  type Mutants,
  parsed,
  type Received,
  requestFrom,
  responseFrom,
} from '../mutate.ts'

/** Returns a request as it was received, to send it again with changes. */
async function received(request: Request): Promise<Received> {
  const { pathname: path, search } = new URL(request.url)
  const bytes = new Uint8Array(await request.arrayBuffer())
  const text = new TextDecoder().decode(bytes)
  return { method: request.method, path, search, headers: request.headers, bytes, text, body: parsed(text) }
}

/** Three lies that are none of the others. */
export const trialMutants: Mutants = {
  // The first 12 characters of a key are taken for it.
  'keys-by-12-characters': {
    failing: ['AUT-001.key-last-character'],
    change: (next, target) => {
      const { privateKey, publicKey, managementKey, otherPrivateKey, otherManagementKey } = target
      const known = new Map<string, string>()
      const learn = (key: unknown) => typeof key === 'string' && known.set(key.slice(0, 12), key)
      for (const key of [privateKey, publicKey, managementKey, otherPrivateKey, otherManagementKey])
        learn(key)
      return async request => {
        const sent = await received(request)
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
    },
  },
  // A create that a rule does not cover is refused, and stored all the same.
  'refused-by-a-rule-stores': {
    failing: ['ACC-507.undone'],
    change: (next, target) => {
      const ruled = new Set<string>()
      return async request => {
        const sent = await received(request)
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
    },
  },
  // A create with deduplication returns the newest token that it would duplicate.
  'duplicate-of-the-newest': {
    failing: ['TOK-501.oldest'],
    change: (next, target) => async request => {
      const sent = await received(request)
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
    },
  },
}
