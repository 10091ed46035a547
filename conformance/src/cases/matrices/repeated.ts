import type { Context } from '../../harness/context.ts'
import type { Call, SendOptions } from '../../harness/target.ts'
import { type Cell, matrix } from './cell.ts'
import { echoReactor } from './ways.ts'

/** A request that is sent twice with one idempotency key. */
interface Prepared {
  readonly call: Call
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly status: number
  /** A body that makes it another request. */
  readonly other?: object
  /** Path of a resource that the request depends on, or made. Once it is deleted, the repetition is a 404. */
  readonly gone?: (made: { readonly id?: string }) => string
}

const formulaBody = (c: Context) => ({
  name: c.tag,
  type: 'private',
  code: 'c',
  configuration: [],
  request_parameters: [],
})
const tokenBody = (c: Context) => ({ type: 'token', data: c.tag, containers: [c.container] })
const tokenPath = ({ id }: { readonly id?: string }) => `/tokens/${id}`

const requests: Readonly<
  Record<string, { readonly needs?: Cell['needs']; prepare(c: Context): Promise<Prepared> }>
> = {
  'create-token': {
    prepare: async c => ({
      call: c.asPrivate,
      method: 'POST',
      path: '/tokens',
      body: tokenBody(c),
      status: 201,
      gone: tokenPath,
    }),
  },
  'create-duplicate': {
    async prepare(c) {
      await c.token()
      const body = { ...tokenBody(c), deduplicate_token: true }
      return { call: c.asPrivate, method: 'POST', path: '/tokens', body, status: 200, gone: tokenPath }
    },
  },
  tokenize: {
    prepare: async c => ({
      call: c.asPrivate,
      method: 'POST',
      path: '/tokenize',
      body: [tokenBody(c), 'plain', { inner: { ...tokenBody(c), data: 1 } }],
      status: 200,
      other: ['plain'],
    }),
  },
  'update-token': {
    async prepare(c) {
      const { id } = await c.token()
      return {
        call: c.asPrivate,
        method: 'PATCH',
        path: `/tokens/${id}`,
        body: { metadata: { a: 'b' } },
        status: 200,
        gone: () => `/tokens/${id}`,
      }
    },
  },
  'create-formula': {
    needs: ['management'],
    prepare: async c => ({
      call: c.asManagement,
      method: 'POST',
      path: '/reactor-formulas',
      body: formulaBody(c),
      status: 201,
      gone: ({ id }) => `/reactor-formulas/${id}`,
    }),
  },
  'put-formula': {
    needs: ['management'],
    async prepare(c) {
      const path = `/reactor-formulas/${(await c.formula()).id}`
      return {
        call: c.asManagement,
        method: 'PUT',
        path,
        body: formulaBody(c),
        status: 200,
        gone: () => path,
      }
    },
  },
  'create-reactor': {
    needs: ['management'],
    prepare: async c => ({
      call: c.asManagement,
      method: 'POST',
      path: '/reactors',
      body: { name: c.tag, configuration: {}, formula: { id: (await c.formula()).id } },
      status: 201,
      gone: ({ id }) => `/reactors/${id}`,
    }),
  },
  'put-reactor': {
    needs: ['management'],
    async prepare(c) {
      const path = `/reactors/${(await c.reactor()).id}`
      const body = { name: c.tag, configuration: {} }
      return { call: c.asManagement, method: 'PUT', path, body, status: 200, gone: () => path }
    },
  },
  'patch-reactor': {
    needs: ['management'],
    async prepare(c) {
      const path = `/reactors/${(await c.reactor()).id}`
      return {
        call: c.asManagement,
        method: 'PATCH',
        path,
        body: { name: c.tag },
        status: 204,
        gone: () => path,
      }
    },
  },
  react: {
    needs: ['management'],
    async prepare(c) {
      const code =
        'module.exports = async () => ({ raw: 1, tokenize: { made: "value", card: { type: "card", data: { number: "4242424242424242" } } } })'
      const { id } = await c.reactor({ code })
      return {
        call: c.asPrivate,
        method: 'POST',
        path: `/reactors/${id}/react`,
        body: { args: {} },
        status: 200,
        gone: () => `/reactors/${id}`,
      }
    },
  },
  'react-without-arguments': {
    needs: ['management'],
    prepare: async c => ({
      call: c.asPrivate,
      method: 'POST',
      path: `/reactors/${(await echoReactor(c)).id}/react`,
      body: {},
      status: 200,
      other: { args: { a: 1 } },
    }),
  },
  'react-later': {
    needs: ['management', 'callbacks'],
    async prepare(c) {
      const { id } = await c.reactor()
      const callback_url = (await c.inbox()).open().url
      const body = { args: {}, callback_url }
      return { call: c.asPrivate, method: 'POST', path: `/reactors/${id}/react`, body, status: 202 }
    },
  },
  'create-session': {
    needs: ['public'],
    prepare: async c => ({ call: c.asPublic, method: 'POST', path: '/sessions', status: 201 }),
  },
  authorize: {
    needs: ['public'],
    async prepare(c) {
      const { nonce } = await c.session()
      const body = { nonce, permissions: ['token:create'] }
      return { call: c.asPrivate, method: 'POST', path: '/sessions/authorize', body, status: 200 }
    },
  },
  'create-application': {
    needs: ['management', 'applications'],
    prepare: async c => ({
      call: c.asManagement,
      method: 'POST',
      path: '/applications',
      body: { name: c.tag, type: 'private', permissions: ['token:read'] },
      status: 201,
      gone: ({ id }) => `/applications/${id}`,
    }),
  },
  'put-application': {
    needs: ['management', 'applications'],
    async prepare(c) {
      const path = `/applications/${(await c.application({ permissions: ['token:read'] })).id}`
      const body = { name: c.tag, permissions: ['token:read'] }
      return { call: c.asManagement, method: 'PUT', path, body, status: 200, gone: () => path }
    },
  },
  'regenerate-key': {
    needs: ['management', 'applications'],
    async prepare(c) {
      const path = `/applications/${(await c.application({ permissions: ['token:read'] })).id}`
      return {
        call: c.asManagement,
        method: 'POST',
        path: `${path}/regenerate`,
        status: 200,
        gone: () => path,
      }
    },
  },
  'add-key': {
    needs: ['management', 'applications'],
    async prepare(c) {
      const path = `/applications/${(await c.application({ permissions: ['token:read'] })).id}`
      return { call: c.asManagement, method: 'POST', path: `${path}/keys`, status: 201, gone: () => path }
    },
  },
}

const keyed = (c: Context): SendOptions => ({
  headers: { [`${c.target.headerPrefix}-IDEMPOTENCY-KEY`]: c.tag },
})

const cells = Object.entries(requests).map(
  ([name, { needs, prepare }]): Cell => ({
    requirement: 'IDE-501',
    name,
    title: `a repeated request returns the first success: ${name.replaceAll('-', ' ')}`,
    needs,
    async run(c) {
      const { call, method, path, body, status, other, gone } = await prepare(c)
      const send = () => call(method, path, body, keyed(c))
      const first = c.success(await send(), status, 'the first')
      const again = c.success(await send(), status, 'the same again')
      c.equal(again.body, first.body, 'body of the response')
      if (other) c.refused(await call(method, path, other, keyed(c)), 422, 'another body')
      if (!gone) return
      const resource = gone(first.body ?? {})
      const remover = resource.startsWith('/tokens') ? c.asPrivate : c.asManagement
      c.success(await remover('DELETE', resource), 204, 'deleting it')
      c.refused(await send(), 404, 'the same when it no longer exists')
    },
  }),
)

/** Responses that a formula chooses, and if they are kept. */
const chosenCells = [201, 299, 399, 400, 404, 500].map(
  (status): Cell => ({
    requirement: 'IDE-503',
    name: `chosen-${status}`,
    title: `a response ${status} of a formula is ${status < 400 ? '' : 'not '}kept under its idempotency key`,
    needs: ['management', 'applications'],
    async run(c) {
      const code = `const { CustomHttpResponseError } = require('@surrogate/formula-errors')
        module.exports = async req => {
          const made = await req.svc.tokens.create({ type: 'token', data: 'value' })
          throw new CustomHttpResponseError({ status: ${status}, headers: { 'x-made': made.id }, body: { id: made.id } })
        }`
      const client = await c.application({ permissions: ['token:create'] })
      const reactor = await c.reactor({ code }, { application: { id: client.id } })
      const send = () => c.react(reactor, { args: {} }, c.asPrivate, keyed(c))
      const [first, again] = [await send(), await send()]
      c.equal([first.status, again.status], [status, status], 'both statuses')
      c.ok(typeof first.body?.id === 'string', 'the body that the formula chose')
      c.equal(again.body.id === first.body.id, status < 400, 'the formula ran once')
      c.equal(again.headers.get('x-made'), again.body.id, 'the header that the formula chose')
    },
  }),
)

/** Requests that are repeated with the same idempotency key. */
export const repeatedCases = matrix([...cells, ...chosenCells])
