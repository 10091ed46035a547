import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import type { Call } from '../harness/target.ts'
import { type Cell, matrix } from './matrices/cell.ts'
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
/** The operations by the feature that a server with them has. */
const groups: Readonly<Record<string, { readonly needs: Cell['needs']; readonly paths: RegExp }>> = {
  tokens: { needs: [], paths: /^\/tokens(\/(?!search)|$)/ },
  search: { needs: [], paths: /^\/tokens\/search/ },
  payloads: { needs: [], paths: /^\/(de)?tokenize/ },
  formulas: { needs: ['management'], paths: /^\/reactor-formulas/ },
  reactors: { needs: ['management'], paths: /^\/reactors/ },
  sessions: { needs: ['public'], paths: /^\/sessions/ },
  applications: { needs: ['applications'], paths: /^\/(applications|tenants|permissions)/ },
  logs: { needs: ['management'], paths: /^\/logs/ },
}

/** Makes a case for each group of operations that a check is about. */
const ofEach = (
  requirement: string,
  title: string,
  isMeant: (request: Request) => boolean,
  check: (c: Context, request: Request) => Promise<void>,
  control?: (c: Context) => Promise<unknown>,
): Cell[] =>
  Object.entries(groups).flatMap(([name, { needs, paths }]) => {
    const meant = every.filter(one => paths.test(one.path) && isMeant(one))
    if (meant.length === 0) return []
    return {
      requirement,
      name,
      title: `${title}: ${name}`,
      needs,
      async run(c) {
        for (const request of meant) await check(c, request)
        await control?.(c)
      },
    }
  })

const named = ({ method, path }: Request) => `${method} ${path.replaceAll(nothing, '{id}')}`

const caller = (c: Context, by: Request['by']) =>
  ({ private: c.asPrivate, any: c.asPrivate, public: c.asPublic, management: c.asManagement })[by]

/** Sends a request with an idempotency key, and then another one with the same. */
async function refusesReuse(
  c: Context,
  call: Call,
  method: string,
  path: string,
  [one, two]: readonly [unknown, unknown],
): Promise<void> {
  const { headers } = c.keyed(`${c.tag} ${method} ${path}`)
  const what = `${method} ${path.split('/')[1]}`
  c.success(await call(method, path, one, { headers }), undefined, what)
  c.refused(await call(method, path, two, { headers, plain: true }), 422, `${what} with another body`)
}

/** Errors that all operations have in common. */
const common = matrix([
  ...cases({
    'ERR-509.session [public, applications]: what every application may ask is refused to a session':
      async c => {
        const { call } = await c.authorized({ permissions: ['token:read'] })
        for (const request of every.filter(({ by }) => by === 'any')) {
          c.equal((await call(request.method, request.path)).status, 403, `${named(request)} by a session`)
          c.success(await c.asPrivate(request.method, request.path), 200, named(request))
        }
      },
  }),
  ...ofEach(
    'ERR-508',
    'every operation refuses a request without a key',
    () => true,
    async (c, request) => {
      const { method, path, body, by } = request
      const reply = await c.as(undefined)(method, path, body, { plain: true })
      c.equal(reply.status, 401, `${named(request)} without a key`)
      const known = await caller(c, by)(method, path, body)
      c.ok(known.status !== 401, `${named(request)} is taken with one`, known.status)
    },
  ),
  ...ofEach(
    'ERR-509',
    'every operation refuses the key of a caller of another type',
    ({ by }) => by !== 'any',
    async (c, request) => {
      const { method, path, body, by } = request
      const wrong = by === 'management' ? c.asPrivate : c.asManagement
      c.equal((await wrong(method, path, body)).status, 403, `${named(request)} by another`)
      const known = await caller(c, by)(method, path, body)
      c.ok(known.status !== 403, `${named(request)} is taken from its own kind`, known.status)
    },
  ).map(cell => ({ ...cell, needs: [...(cell.needs ?? []), 'management'] as const })),
  ...ofEach(
    'ERR-510',
    'every operation with a body refuses another content type',
    ({ body }) => body !== undefined,
    async (c, request) => {
      const { method, path, body, by } = request
      const call = caller(c, by)
      const other = await call(method, path, body, { headers: { 'Content-Type': 'text/plain' } })
      c.equal(other.status, 415, `${named(request)} as text`)
      const { status } = await call(method, path, body)
      c.ok(status !== 415, `${named(request)} is taken as it has to be`, status)
    },
  ),
  ...ofEach(
    'ERR-511',
    'every operation refuses a body that is too large',
    ({ body, path }) => body !== undefined && !path.endsWith('/react'),
    async (c, request) => {
      const { method, path, body, by } = request
      const pad = 'x'.repeat(1100 * 1024)
      const call = caller(c, by)
      const large = Array.isArray(body) ? [...body, pad] : { ...body, pad }
      const reply = await c.oversized(options => call(method, path, large, { ...options, plain: true }))
      c.equal(reply.status, 413, `${named(request)} of 1.1 MB`)
      const { status } = await call(method, path, body)
      c.ok(status !== 413, `${named(request)} is taken as it has to be`, status)
    },
  ),
  ...ofEach(
    'ERR-512',
    'every operation on one resource responds with 404 if it does not exist, and 400 to a malformed id',
    ({ path }) => path.includes(nothing),
    async (c, request) => {
      const { method, path, body, by } = request
      const call = caller(c, by)
      c.equal((await call(method, path, body)).status, 404, named(request))
      const malformed = path.replace(nothing, path.startsWith('/tokens') ? 'ab' : 'abc')
      c.equal((await call(method, malformed, body)).status, 400, `${named(request)} with no id`)
    },
    async c => c.success(await c.asPrivate('GET', `/tokens/${(await c.token()).id}`), 200, 'the control'),
  ),
  ...ofEach(
    'ERR-513',
    'every operation with a body refuses malformed JSON',
    ({ body }) => body !== undefined,
    async (c, request) => {
      const { method, path, by } = request
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const options = { raw: '{"a":', headers: { 'Content-Type': type } }
      const broken = await caller(c, by)(method, path, undefined, options)
      c.equal(broken.status, 400, `${named(request)} with half a document`)
    },
    c => c.token(),
  ),
  ...ofEach(
    'WIR-547',
    'every operation refuses a query parameter that the contract does not name',
    () => true,
    async (c, request) => {
      const { method, path, body, by } = request
      const reply = await caller(c, by)(method, `${path}?unknown=1`, body, { plain: true })
      c.refused(reply, 400, `${named(request)}?unknown=1`)
    },
    async c => c.success(await c.asPrivate('GET', '/tokens?size=1'), 200, 'the control'),
  ),
])

/** Errors that all operations have in common, and some of applications and payloads. */
export const errorCases = [
  ...common,
  ...cases({
    'IDE-504.a: an update of a token refuses another request under a used idempotency key': async c => {
      const { id } = await c.token()
      await refusesReuse(c, c.asPrivate, 'PATCH', `/tokens/${id}`, [{ data: 1 }, { data: 2 }])
    },
    'IDE-504.payloads: tokenize refuses another request under a used idempotency key': c =>
      refusesReuse(c, c.asPrivate, 'POST', '/tokenize', [[1], [2]]),
    'IDE-504.formulas [management]: the operations on formulas refuse another request under a used idempotency key':
      async c => {
        const { id } = await c.formula()
        const bodies = [{ ...formula, name: '1' }, formula] as const
        await refusesReuse(c, c.asManagement, 'POST', '/reactor-formulas', bodies)
        await refusesReuse(c, c.asManagement, 'PUT', `/reactor-formulas/${id}`, bodies)
      },
    'IDE-504.reactors [management]: the operations on reactors refuse another request under a used idempotency key':
      async c => {
        const { id, formula: used } = await c.reactor()
        const named = (name: string) => ({ name, configuration: {} })
        const made = [
          { ...named('1'), formula: { id: used.id } },
          { ...named('2'), formula: { id: used.id } },
        ] as const
        await refusesReuse(c, c.asManagement, 'POST', '/reactors', made)
        await refusesReuse(c, c.asManagement, 'PUT', `/reactors/${id}`, [named('1'), named('2')])
        await refusesReuse(c, c.asManagement, 'PATCH', `/reactors/${id}`, [{ name: '1' }, { name: '2' }])
      },
    'IDE-504.sessions [public]: the operations on sessions refuse another request under a used idempotency key':
      async c => {
        const [{ nonce }, { nonce: other }] = [await c.session(), await c.session()]
        const rights = { permissions: ['token:create'] }
        const bodies = [
          { nonce, ...rights },
          { nonce: other, ...rights },
        ] as const
        await refusesReuse(c, c.asPrivate, 'POST', '/sessions/authorize', bodies)
        // It has no body: the key was used for another operation.
        const { headers } = c.keyed()
        c.success(await c.asPublic('POST', '/tokens', { type: 'token', data: 1 }, { headers }), 201)
        c.refused(await c.asPublic('POST', '/sessions', undefined, { headers }), 422, 'a session')
      },
    'IDE-504.applications [applications]: the operations on applications refuse another request under a used idempotency key':
      async c => {
        const { id } = await c.application({ permissions: ['token:read'] })
        const bodies = [{ ...application, name: '1' }, application] as const
        await refusesReuse(c, c.asManagement, 'POST', '/applications', bodies)
        await refusesReuse(c, c.asManagement, 'PUT', `/applications/${id}`, bodies)
        // They have no body: the key was used for another operation.
        const { headers } = c.keyed()
        c.success(await c.asManagement('PUT', `/applications/${id}`, application, { headers }), 200)
        for (const path of ['regenerate', 'keys']) {
          const reply = await c.asManagement('POST', `/applications/${id}/${path}`, undefined, { headers })
          c.refused(reply, 422, path)
        }
      },
    'APP-510.a: an application with a name of 201 characters, or without one, is refused': async c => {
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
    'TKZ-505.a: two tokens of one payload cannot have the same id, or one that is taken': async c => {
      const described = (id: string) => ({ type: 'token', data: 1, id, containers: [c.container] })
      const send = (ids: readonly string[]) => c.asPrivate('POST', '/tokenize', ids.map(described))
      const first = await send([`${c.tag}-1`, `${c.tag}-2`])
      c.success(first, 200, 'different ids')
      c.refused(await send([`${c.tag}-3`, `${c.tag}-3`]), undefined, 'an id twice')
      c.equal((await send([`${c.tag}-1`])).status, 409, 'an id that is taken')
    },
  }),
]
