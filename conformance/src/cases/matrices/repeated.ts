import { cases, marked, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import type { Call } from '../../harness/target.ts'
import type { Cell } from './cell.ts'
import { type ResourceName, resources } from './resources.ts'
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

const tokenBody = (c: Context) => ({ type: 'token', data: c.tag, containers: [c.container] })
const tokenPath = ({ id }: { readonly id?: string }) => `/tokens/${id}`

interface Requests {
  readonly needs?: Cell['needs']
  prepare(c: Context): Promise<Prepared>
}

/** The body of a request, if it has one. */
type BodyOf = (c: Context) => object | Promise<object>

/** A request of a management application that makes a resource. */
const makes = (name: ResourceName, body: BodyOf): Requests => ({
  needs: needsOf(name),
  async prepare(c) {
    const { path } = resources[name]
    const gone = ({ id }: { readonly id?: string }) => `${path}/${id}`
    return { call: c.asManagement, method: 'POST', path, body: await body(c), status: 201, gone }
  },
})

/** A request of a management application about a resource, on which its repetition depends. */
const about = (
  name: ResourceName,
  method: string,
  more: string,
  status: number,
  body?: BodyOf,
): Requests => ({
  needs: needsOf(name),
  async prepare(c) {
    const { path, make } = resources[name]
    const own = `${path}/${(await make(c)).id}`
    const request = { call: c.asManagement, method, path: own + more, status, gone: () => own }
    return { ...request, ...(body && { body: await body(c) }) }
  },
})

const needsOf = (name: ResourceName): Cell['needs'] =>
  name === 'application' ? ['management', 'applications'] : ['management']

const requests: Readonly<Record<string, Requests>> = {
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
      const path = `/tokens/${(await c.token()).id}`
      const body = { metadata: { a: 'b' } }
      return { call: c.asPrivate, method: 'PATCH', path, body, status: 200, gone: () => path }
    },
  },
  'create-formula': makes('formula', resources.formula.body),
  'put-formula': about('formula', 'PUT', '', 200, resources.formula.body),
  'create-reactor': makes('reactor', async c => ({
    ...resources.reactor.body(c),
    formula: { id: (await c.formula()).id },
  })),
  'put-reactor': about('reactor', 'PUT', '', 200, resources.reactor.body),
  'patch-reactor': about('reactor', 'PATCH', '', 204, c => ({ name: c.tag })),
  react: {
    needs: ['management'],
    async prepare(c) {
      const code =
        'module.exports = async () => ({ raw: 1, tokenize: { made: "value", card: { type: "card", data: { number: "4242424242424242" } } } })'
      const path = `/reactors/${(await c.reactor({ code })).id}`
      const body = { args: {} }
      return { call: c.asPrivate, method: 'POST', path: `${path}/react`, body, status: 200, gone: () => path }
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
  'create-application': makes('application', c => ({ ...resources.application.body(c), type: 'private' })),
  'put-application': about('application', 'PUT', '', 200, resources.application.body),
  'regenerate-key': about('application', 'POST', '/regenerate', 200),
  'add-key': about('application', 'POST', '/keys', 201),
}

const cells = Object.entries(requests).map(
  ([name, { needs, prepare }]): Row => [
    `IDE-501.${name}${marked(needs)}: a repeated request returns the first success: ${name.replaceAll('-', ' ')}`,
    async c => {
      const { call, method, path, body, status, other, gone } = await prepare(c)
      const send = () => call(method, path, body, c.keyed())
      const first = c.success(await send(), status, 'the first')
      const again = c.success(await send(), status, 'the same again')
      c.equal(again.body, first.body, 'body of the response')
      if (other) c.refused(await call(method, path, other, c.keyed()), 422, 'another body')
      if (!gone) return
      const resource = gone(first.body ?? {})
      const remover = resource.startsWith('/tokens') ? c.asPrivate : c.asManagement
      c.success(await remover('DELETE', resource), 204, 'deleting it')
      c.refused(await send(), 404, 'the same when it no longer exists')
    },
  ],
)

/** Responses that a formula chooses, and if they are kept. */
const chosenCells = [201, 299, 399, 400, 404, 500].map(
  (status): Row => [
    `IDE-503.chosen-${status} [management, applications]: a response ${status} of a formula is ${status < 400 ? '' : 'not '}kept under its idempotency key`,
    async c => {
      const code = `const { CustomHttpResponseError } = require('@surrogate/formula-errors')
        module.exports = async req => {
          const made = await req.svc.tokens.create({ type: 'token', data: 'value' })
          throw new CustomHttpResponseError({ status: ${status}, headers: { 'x-made': made.id }, body: { id: made.id } })
        }`
      const client = await c.application({ permissions: ['token:create'] })
      const reactor = await c.reactor({ code }, { application: { id: client.id } })
      const send = () => c.react(reactor, { args: {} }, c.asPrivate, c.keyed())
      const [first, again] = [await send(), await send()]
      c.equal([first.status, again.status], [status, status], 'both statuses')
      c.ok(typeof first.body?.id === 'string', 'the body is the one that the formula chose', first.body?.id)
      c.equal(again.body.id === first.body.id, status < 400, 'the formula ran once')
      c.equal(again.headers.get('x-made'), again.body.id, 'the header that the formula chose')
    },
  ],
)

/** Requests that are repeated with the same idempotency key. */
export const repeatedCases = cases([...cells, ...chosenCells])
