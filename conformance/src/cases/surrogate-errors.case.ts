import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import { nothing } from './values.ts'

/** A request for each operation on resources that do not exist. Other errors are found before that. */
interface Request {
  readonly by: 'private' | 'management' | 'public' | 'any'
  readonly method: string
  readonly path: string
  readonly body?: object
}

const at =
  (by: Request['by']) =>
  (method: string, path: string, body?: object): Request => ({
    by,
    method,
    path,
    ...(body === undefined ? {} : { body }),
  })
const [tokens, setup] = [at('private'), at('management')]
const formula = { name: 'n', type: 'private', code: '' }
const application = { name: 'n', type: 'private', permissions: ['token:read'] }
const every: readonly Request[] = [
  tokens('POST', '/tokens', { type: 'token', data: 1 }),
  tokens('GET', '/tokens'),
  tokens('GET', `/tokens/${nothing}`),
  tokens('PATCH', `/tokens/${nothing}`, {}),
  tokens('DELETE', `/tokens/${nothing}`),
  tokens('POST', '/tokens/search', {}),
  tokens('POST', '/tokenize', [1]),
  tokens('POST', '/detokenize', ['x']),
  setup('POST', '/reactor-formulas', formula),
  setup('GET', '/reactor-formulas'),
  setup('GET', `/reactor-formulas/${nothing}`),
  setup('PUT', `/reactor-formulas/${nothing}`, formula),
  setup('DELETE', `/reactor-formulas/${nothing}`),
  setup('POST', '/reactors', { name: 'n', configuration: {}, formula: { id: nothing } }),
  setup('GET', '/reactors'),
  setup('GET', `/reactors/${nothing}`),
  setup('PUT', `/reactors/${nothing}`, { name: 'n', configuration: {} }),
  setup('PATCH', `/reactors/${nothing}`, {}),
  setup('DELETE', `/reactors/${nothing}`),
  tokens('POST', `/reactors/${nothing}/react`, { args: {} }),
  // Without a destination, so that it does not matter which one the server allows.
  at('public')('POST', '/sessions'),
  tokens('POST', '/sessions/authorize', { nonce: 'none', permissions: ['token:read'] }),
  setup('POST', '/applications', application),
  setup('GET', '/applications'),
  at('any')('GET', '/applications/key'),
  setup('GET', `/applications/${nothing}`),
  setup('PUT', `/applications/${nothing}`, application),
  setup('DELETE', `/applications/${nothing}`),
  setup('POST', `/applications/${nothing}/regenerate`),
  setup('POST', `/applications/${nothing}/keys`),
  setup('GET', `/applications/${nothing}/keys`),
  setup('DELETE', `/applications/${nothing}/keys/${nothing}`),
  at('any')('GET', '/tenants/self'),
  // Not a valid name, so that no tenant is renamed.
  setup('PUT', '/tenants/self', { name: '' }),
  at('any')('GET', '/permissions'),
  setup('GET', '/logs'),
]
const named = ({ method, path }: Request) => `${method} ${path.replaceAll(nothing, '{id}')}`

const caller = (c: Context, by: Request['by']) =>
  ({ private: c.asPrivate, any: c.asPrivate, public: c.asPublic, management: c.asManagement })[by]

/** Errors that all operations have in common. */
export const errorCases = cases({
  'ERR-508.a': [
    'every operation refuses a request without a key',
    async c => {
      for (const request of every) {
        const { method, path, body } = request
        const reply = await c.as(undefined)(method, path, body, { plain: true })
        c.equal(reply.status, 401, `${named(request)} without a key`)
        const known = await caller(c, request.by)(method, path, body)
        c.ok(known.status !== 401, `${named(request)} is taken with one`, known.status)
      }
    },
  ],
  'ERR-509.a': [
    'every operation refuses the key of a caller of another type',
    async c => {
      const { key } = await c.authorized({ permissions: ['token:read'] })
      for (const request of every) {
        const { method, path, body, by } = request
        const session = by === 'any'
        const wrong = session ? c.as(key) : by === 'private' ? c.asManagement : c.asPrivate
        c.equal((await wrong(method, path, body)).status, 403, `${named(request)} by another`)
        const known = await caller(c, by)(method, path, body)
        c.ok(known.status !== 403, `${named(request)} is taken from its own kind`, known.status)
      }
    },
  ],
  'ERR-510.a': [
    'every operation with a body refuses another content type',
    async c => {
      for (const request of every) {
        const { method, path, body, by } = request
        if (body === undefined) continue
        const call = caller(c, by)
        const other = await call(method, path, body, { headers: { 'Content-Type': 'text/plain' } })
        c.equal(other.status, 415, `${named(request)} as text`)
        const { status } = await call(method, path, body)
        c.ok(status !== 415, `${named(request)} is taken as it has to be`, status)
      }
    },
  ],
  'ERR-511.a': [
    'every operation refuses a body that is too large',
    async c => {
      const pad = 'x'.repeat(1100 * 1024)
      for (const request of every) {
        const { method, path, body, by } = request
        if (body === undefined || path.endsWith('/react')) continue
        const call = caller(c, by)
        const large = Array.isArray(body) ? [...body, pad] : { ...body, pad }
        c.equal(
          (await c.oversized(options => call(method, path, large, { ...options, plain: true }))).status,
          413,
          `${named(request)} of 1.1 MB`,
        )
        const { status } = await call(method, path, request.body)
        c.ok(status !== 413, `${named(request)} is taken as it has to be`, status)
      }
    },
  ],
  'ERR-512.a': [
    'every operation on one resource responds with 404 if it does not exist, and 400 to a malformed id',
    async c => {
      for (const request of every) {
        const { method, path, body, by } = request
        if (!path.includes(nothing)) continue
        const call = caller(c, by)
        c.equal((await call(method, path, body)).status, 404, named(request))
        const malformed = path.startsWith('/tokens')
          ? path.replace(nothing, 'ab')
          : path.replace(nothing, 'abc')
        c.equal((await call(method, malformed, body)).status, 400, `${named(request)} with no id`)
      }
      c.success(await c.asPrivate('GET', `/tokens/${(await c.token()).id}`), 200, 'the control')
    },
  ],
  'ERR-513.a': [
    'every operation with a body refuses malformed JSON',
    async c => {
      for (const request of every) {
        const { method, path, body, by } = request
        if (body === undefined) continue
        const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
        const broken = await caller(c, by)(method, path, undefined, {
          raw: '{"a":',
          headers: { 'Content-Type': type },
        })
        c.equal(broken.status, 400, `${named(request)} with half a document`)
      }
      await c.token()
    },
  ],
  'WIR-547.a': [
    'every operation refuses a query parameter that the contract does not name',
    async c => {
      for (const request of every) {
        const { method, path, body, by } = request
        const call = caller(c, by)
        const reply = await call(method, `${path}?unknown=1`, body, { plain: true })
        c.refused(reply, 400, `${named(request)}?unknown=1`)
      }
      c.success(await c.asPrivate('GET', '/tokens?size=1'), 200, 'the control')
    },
  ],
  'IDE-504.a': [
    'every operation that changes something refuses another request under a used idempotency key',
    async c => {
      const reactor = await c.reactor()
      const { id } = await c.application({ permissions: ['token:read'] })
      const token = await c.token()
      const [{ nonce }, { nonce: other }] = [await c.session(), await c.session()]
      const rights = { permissions: ['token:create'] }
      const pairs: readonly [
        call: typeof c.asPrivate,
        method: string,
        path: string,
        one: object | undefined,
        two: object,
      ][] = [
        [c.asPrivate, 'PATCH', `/tokens/${token.id}`, { data: 1 }, { data: 2 }],
        [c.asPrivate, 'POST', '/tokenize', [1], [2]],
        [c.asManagement, 'POST', '/reactor-formulas', { ...formula, name: '1' }, formula],
        [
          c.asManagement,
          'PUT',
          `/reactor-formulas/${reactor.formula.id}`,
          { ...formula, name: '1' },
          formula,
        ],
        [
          c.asManagement,
          'POST',
          '/reactors',
          { name: '1', configuration: {}, formula: { id: reactor.formula.id } },
          { name: '2', configuration: {}, formula: { id: reactor.formula.id } },
        ],
        [
          c.asManagement,
          'PUT',
          `/reactors/${reactor.id}`,
          { name: '1', configuration: {} },
          { name: '2', configuration: {} },
        ],
        [c.asManagement, 'PATCH', `/reactors/${reactor.id}`, { name: '1' }, { name: '2' }],
        [c.asPrivate, 'POST', '/sessions/authorize', { nonce, ...rights }, { nonce: other, ...rights }],
        [c.asManagement, 'POST', '/applications', { ...application, name: '1' }, application],
        [c.asManagement, 'PUT', `/applications/${id}`, { ...application, name: '1' }, application],
      ]
      for (const [call, method, path, one, two] of pairs) {
        const { headers } = c.keyed(`${c.tag} ${method} ${path}`)
        const what = `${method} ${path.split('/')[1]}`
        c.success(await call(method, path, one, { headers }), undefined, what)
        c.equal(
          (await call(method, path, two, { headers, plain: true })).status,
          422,
          `${what} with another body`,
        )
      }
      // For operations without a body: the key was used for another operation.
      const { headers } = c.keyed()
      c.success(await c.asPublic('POST', '/tokens', { type: 'token', data: 1 }, { headers }), 201)
      c.equal((await c.asPublic('POST', '/sessions', undefined, { headers })).status, 422, 'a session')
      c.success(await c.asManagement('PATCH', `/reactors/${reactor.id}`, { name: '3' }, { headers }), 204)
      const key = await c.asManagement('POST', `/applications/${id}/regenerate`, undefined, { headers })
      c.equal(key.status, 422, 'a new key')
      const second = await c.asManagement('POST', `/applications/${id}/keys`, undefined, { headers })
      c.equal(second.status, 422, 'a second key')
    },
  ],
  'APP-510.a': [
    'an application with a name of 201 characters, or without one, is refused',
    async c => {
      const { id } = await c.application({ permissions: ['token:read'] })
      const put = (name: unknown) => c.asManagement('PUT', `/applications/${id}`, { ...application, name })
      const post = (name: unknown) => c.asManagement('POST', '/applications', { ...application, name })
      for (const send of [put, post]) {
        await c.refuses<unknown>(400, send, 'n'.repeat(200), {
          '201 characters': 'n'.repeat(201),
          'no name': undefined,
        })
      }
    },
  ],
  'TKZ-505.a': [
    'two tokens of one payload cannot have the same id, or one that is taken',
    async c => {
      const described = (id: string) => ({ type: 'token', data: 1, id, containers: [c.container] })
      const send = (ids: readonly string[]) => c.asPrivate('POST', '/tokenize', ids.map(described))
      const first = await send([`${c.tag}-1`, `${c.tag}-2`])
      c.success(first, 200, 'different ids')
      c.refused(await send([`${c.tag}-3`, `${c.tag}-3`]), undefined, 'an id twice')
      c.equal((await send([`${c.tag}-1`])).status, 409, 'an id that is taken')
    },
  ],
})
