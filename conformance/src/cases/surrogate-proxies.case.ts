import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import type { Call } from '../harness/target.ts'
import { nothing } from './values.ts'

/** Responds with what the code for requests sees, so that nothing is sent to the destination. */
const echo = `const { CustomHttpResponseError } = require('@surrogate/formula-errors')
module.exports = async ({ args, configuration, svc }) => {
  throw new CustomHttpResponseError({ status: 200, body: { ...args, configuration, svc: svc !== null } })
}`

const bodyOf = (c: Context, members: object = {}) => ({
  name: c.tag,
  destination_url: c.target.proxyUrl,
  request_transform: { code: echo },
  ...members,
})

/** Creates a proxy. */
async function made(c: Context, members: object = {}) {
  const reply = await c.asManagement('POST', '/proxies', bodyOf(c, members))
  return c.success(reply, 201, 'a valid proxy').body
}

/** Sends a request through a proxy. */
const through = (c: Context, call: Call, key: string, body: object = { a: 1 }, path = '/proxy') =>
  call('POST', path, body, { headers: { [`${c.target.headerPrefix}-PROXY-KEY`]: key }, plain: true })

/** Stored proxies. */
export const proxyCases = cases({
  'PRX-501.a': [
    'a proxy is what it was made as, and its key is shown once',
    async c => {
      const application = await c.application({ permissions: ['token:use'] })
      const body = bodyOf(c, {
        response_transform: { code: 'module.exports = () => ({})' },
        configuration: { KEY: 'k', RETRIES: 3, LIVE: false },
        require_auth: false,
      })
      const reply = await c.asManagement('POST', '/proxies', { ...body, application: { id: application.id } })
      const { key, ...created } = c.success(reply, 201).body
      c.ok(typeof key === 'string' && key.length >= 32, 'a key')
      c.matches(created, body, 'the proxy')
      c.equal(created.application?.id, application.id, 'its application')
      c.ok(!reply.text.includes(application.key), 'the key of the application is not shown')
      const path = `/proxies/${created.id}`
      const shown = c.success(await c.asManagement('GET', path), 200)
      c.matches(shown.body, created, 'the same proxy')
      const listed = c.success(await c.asManagement('GET', `/proxies?name=${c.tag.toUpperCase()}`), 200)
      c.equal(c.ids(listed.body), [created.id], 'proxies of this name')
      const put = c.success(await c.asManagement('PUT', path, body), 200, 'replacing it')
      for (const { text } of [shown, listed, put]) c.ok(!text.includes(key), 'the key is not shown again')
    },
  ],
  'PRX-501.b': [
    'a proxy with a member that is missing or not valid is refused',
    async c => {
      const many = Object.fromEntries(Array.from({ length: 26 }, (_, at) => [`S${at}`, at]))
      const management = await c.application({ permissions: ['log:read'] }, 'management')
      await c.refuses<object>(400, body => c.asManagement('POST', '/proxies', body), bodyOf(c), {
        'no name': bodyOf(c, { name: undefined }),
        'a name of 201 characters': bodyOf(c, { name: 'x'.repeat(201) }),
        'no destination': bodyOf(c, { destination_url: undefined }),
        'empty code': bodyOf(c, { request_transform: { code: '' } }),
        'code of 50,001 characters': bodyOf(c, { response_transform: { code: 'x'.repeat(50_001) } }),
        'code of 50,002 bytes': bodyOf(c, { response_transform: { code: 'ä'.repeat(25_001) } }),
        '26 values of configuration': bodyOf(c, { configuration: many }),
        'a nested value': bodyOf(c, { configuration: { A: {} } }),
        'an unknown application': bodyOf(c, { application: { id: nothing } }),
        'a management application': bodyOf(c, { application: { id: management.id } }),
      })
    },
  ],
  'PRX-501.c': [
    'each read shows what each of two proxies was made as, who made and changed it, the newest first',
    async c => {
      const { id: editor, call } = await c.application({ permissions: ['proxy:update'] }, 'management')
      const application = { id: (await c.application({ permissions: ['token:use'] })).id }
      const origin = new URL(c.target.proxyUrl ?? '').origin
      const strange = ` <b>&amp;</b> e\u0301\r\n ${'x'.repeat(300)} `
      const bodies = [
        bodyOf(c, { destination_url: `${origin}/first`, configuration: { A: 1 }, require_auth: false }),
        bodyOf(c, {
          ...{ name: ` ${c.tag} <b>&amp;</b> e\u0301 `, destination_url: `${origin}/second`, application },
          ...{ request_transform: { code: `//${strange}` }, response_transform: { code: `//${strange}2` } },
          configuration: { A: strange },
        }),
      ] as const
      const made = []
      for (const body of bodies)
        made.push(c.success(await c.asManagement('POST', '/proxies', body), 201, 'a valid proxy').body)
      for (const [index, { id, key: _key, ...proxy }] of made.entries()) {
        const path = `/proxies/${id}`
        const item = async () => (await c.get(`/proxies?id=${id}`)).data[0]
        c.matches(proxy, { ...bodies[index], require_auth: index === 1 }, 'the new proxy')
        c.ok(Boolean(proxy.created_by && proxy.created_at), 'who made it, and when')
        c.equal(proxy.modified_at ?? null, null, 'modified_at of a new one')
        for (const view of [await c.get(path), await item()]) c.matches(view, proxy, 'a read')
        const { created_at, created_by } = proxy
        for (const next of [bodies[1 - index], bodies[index]]) {
          const put = c.success(await call('PUT', path, next), 200).body
          c.matches(put, { ...next, created_at, created_by, modified_by: editor }, 'an update')
          c.ok(Boolean(put.modified_at), 'modified_at of an update')
          for (const view of [await c.get(path), await item()]) c.matches(view, put, 'a read after it')
        }
      }
      const { data, pagination } = await c.get(`/proxies?${made.map(({ id }) => `id=${id}`).join('&')}`)
      c.equal(c.ids({ data }), made.map(({ id }) => id).reverse(), 'a list')
      c.matches(pagination, { total_items: 2, page_number: 1, page_size: 20, total_pages: 1 }, 'its pages')
    },
    'applications',
  ],
  'PRX-502.a': [
    'with require_auth a request needs the key of the proxy and an API key with token:use',
    async c => {
      const { key } = await made(c)
      const user = await c.application({ permissions: ['token:use'] })
      const reader = await c.application({ permissions: ['token:read'] })
      const page = await c.application({ permissions: ['token:create'] }, 'public')
      c.success(await through(c, user.call, key), 200)
      c.refused(await through(c, user.call, `${key}x`), 401, 'an unknown key of a proxy')
      c.refused(await through(c, user.call, key.toUpperCase()), 401, 'its key in another case')
      c.refused(await through(c, user.call, user.key), 401, 'an API key as the key of a proxy')
      c.refused(await through(c, c.as(undefined), key), 401, 'no API key')
      c.refused(await through(c, c.as(key), key), 401, 'the key of the proxy as API key')
      c.refused(await c.as(key)('GET', '/tokens'), 401, 'the key of the proxy as API key elsewhere')
      for (const { call } of [reader, page]) c.refused(await through(c, call, key), 403, 'without token:use')
    },
  ],
  'PRX-502.b': [
    'without require_auth the key of the proxy is enough',
    async c => {
      const { key } = await made(c, { require_auth: false })
      c.success(await through(c, c.as(undefined), key), 200, 'no API key')
      c.refused(await through(c, c.as(undefined), `${key}x`), 401, 'an unknown key of a proxy')
    },
  ],
  'PRX-502.c': [
    'another tenant cannot use a proxy that needs an API key, nor see any',
    async c => {
      const { id, key } = await made(c)
      c.success(await through(c, c.asPrivate, key), 200)
      c.refused(await through(c, c.asOther, key), 401, 'with a key of another tenant')
      c.success(await c.asManagement('GET', `/proxies/${id}`), 200)
      for (const method of ['GET', 'DELETE'])
        c.refused(await c.asOtherManagement(method, `/proxies/${id}`), 404, method)
      c.equal(c.ids(c.success(await c.asOtherManagement('GET', `/proxies?id=${id}`), 200).body), [], 'list')
    },
    'second-tenant',
    'second-management',
  ],
  'PRX-503.a': [
    'a deleted proxy is used no more, and its application can be deleted then',
    async c => {
      const application = await c.application({ permissions: ['token:use'] })
      const { id, key } = await made(c, { require_auth: false, application: { id: application.id } })
      c.success(await through(c, c.as(undefined), key), 200)
      c.refused(await c.asManagement('DELETE', `/applications/${application.id}`), 409, 'before')
      c.success(await c.asManagement('DELETE', `/proxies/${id}`), 204)
      c.refused(await through(c, c.as(undefined), key), 401)
      c.refused(await c.asManagement('GET', `/proxies/${id}`), 404)
      c.success(await c.asManagement('DELETE', `/applications/${application.id}`), 204, 'afterwards')
    },
  ],
  'PRX-504.a': [
    'data is put in only with the rights of the application, and of the caller if there is one',
    async c => {
      const inside = `${c.container}in/`
      const application = { id: (await c.ruled('reveal', ['token:use'], inside)).id }
      const [own, other] = [
        await c.token({ containers: [inside] }),
        await c.token({ containers: [`${c.container}out/`] }),
      ]
      const elsewhere = await c.ruled('reveal', ['token:use'], `${c.container}out/`)
      const withAuth = await made(c, { application })
      const without = await made(c, { application, require_auth: false })
      const bare = await made(c, { require_auth: false })
      const named = (token: { id: string }) => ({ a: `{{ ${token.id} }}` })
      for (const [call, { key }] of [
        [c.asPrivate, withAuth],
        [c.as(undefined), without],
      ] as const) {
        c.equal(c.success(await through(c, call, key, named(own)), 200).body.body.a, c.tag, 'data')
        c.refused(await through(c, call, key, named(other)), 403, 'a token that the application may not use')
      }
      for (const token of [own, other])
        c.refused(await through(c, elsewhere.call, withAuth.key, named(token)), 403, 'another caller')
      c.refused(await through(c, c.asPrivate, without.key, named(other)), 403, 'with an API key beside it')
      for (const token of [own, { id: `${c.tag}-unknown` }])
        c.refused(await through(c, c.as(undefined), bare.key, named(token)), 403, 'without an application')
    },
  ],
  'PRX-505.a': [
    'a destination of another origin, or with a password or an expression, is refused',
    async c => {
      const { id } = await made(c)
      const own = new URL(c.target.proxyUrl ?? '')
      const bad = {
        'another origin': `${own.protocol}//${c.tag}.example/`,
        'a longer name': `${own.protocol}//${own.host}.${c.tag}.example/`,
        'a password': `${own.protocol}//me:secret@${own.host}/`,
        'a user name': `${own.protocol}//${own.host}@${c.tag}.example/`,
        'an expression': `${own.origin}/%7B%7B%20a%20%7D%7D`,
        'no URL': own.host,
      }
      for (const [method, path] of [
        ['POST', '/proxies'],
        ['PUT', `/proxies/${id}`],
        ['PATCH', `/proxies/${id}`],
      ] as const) {
        const send = (destination_url: string | undefined) =>
          c.asManagement(method, path, bodyOf(c, { destination_url }))
        await c.refuses(400, send, c.target.proxyUrl, bad)
      }
    },
  ],
  'PRX-505.b': [
    'a path that leads out of the destination is refused, and another value for a parameter of its query',
    async c => {
      const destination_url = `${new URL(c.target.proxyUrl ?? '').origin}/v1/a?own=1`
      const { key } = await made(c, { destination_url })
      const send = (path: string) => through(c, c.asPrivate, key, {}, `/proxy/${path}`)
      c.matches(c.success(await send('b?c=1'), 200).body, { path: '/v1/a/b', query: 'own=1&c=1' }, 'within')
      await c.refuses(400, send, 'b%2Fc', {
        'a parameter of the destination': 'b?own=2',
        'dots behind a slash': '..%2Fb',
        'encoded dots': 'b%2F%2e%2e%2F%2e%2e%2Fc',
        'a backslash': '..%5Cb',
      })
    },
  ],
  'PRX-506.a': [
    'code sees the request with data in it, and the configuration of the proxy',
    async c => {
      const token = await c.token()
      const { key } = await made(c, { configuration: { KEY: 'k' } })
      const reply = await through(c, c.asPrivate, key, { a: `{{ ${token.id} }}` }, '/proxy/more?q=1')
      const { path, ...seen } = c.success(reply, 200).body
      c.ok(path.endsWith('/more'), 'the path')
      const expected = { method: 'POST', query: 'q=1', body: { a: c.tag }, configuration: { KEY: 'k' } }
      c.matches(seen, { ...expected, svc: false }, 'the request')
      const names = Object.keys(seen.headers)
      c.ok(!names.some(name => /-(api|proxy)-key$/.test(name)), 'no keys')
    },
  ],
  'PRX-506.b': [
    'code acts as the application of the proxy, and its failure is a 500',
    async c => {
      const application = await c.application({ permissions: ['token:create', 'token:read'] })
      const code = echo.replace(
        'throw',
        `args.made = await svc.tokens.create({ type: 'token', data: args.body.a, containers: ['${c.container}'] })\n throw`,
      )
      const members = { application: { id: application.id }, require_auth: false }
      const { key } = await made(c, { ...members, request_transform: { code } })
      const reply = await through(c, c.as(undefined), key, { a: c.tag })
      c.equal(c.success(reply, 200).body.made.created_by, application.id, 'who made the token')
      const failing = await made(c, { request_transform: { code: `throw new Error('no')` } })
      c.equal((await through(c, c.asPrivate, failing.key)).status, 500, 'code that throws')
    },
  ],
  'PRX-507.a': [
    'PUT replaces a proxy, PATCH merges into it, and its key stays',
    async c => {
      const { id, key } = await made(c, { configuration: { A: 1, B: 2 } })
      const path = `/proxies/${id}`
      c.success(await c.asManagement('PATCH', path, { configuration: { A: null, C: 3 } }), 204)
      const patched = c.success(await c.asManagement('GET', path), 200).body
      c.matches(patched, { ...bodyOf(c), configuration: { B: 2, C: 3 }, require_auth: true }, 'PATCH')
      c.equal(
        c.success(await through(c, c.asPrivate, key), 200).body.configuration,
        { B: 2, C: 3 },
        'its use',
      )
      const name = `${c.tag} new`
      const put = c.success(await c.asManagement('PUT', path, bodyOf(c, { name })), 200).body
      c.matches(put, { name, configuration: {} }, 'PUT')
      c.success(await through(c, c.asPrivate, key), 200, 'the key')
      c.success(await c.asManagement('PATCH', path, { request_transform: null }), 204)
      const without = c.success(await c.asManagement('GET', path), 200).body
      c.ok((without.request_transform ?? null) === null, 'null removes the code')
      c.refused(await c.asManagement('PATCH', path, { name: null }), 400, 'no name')
      const merge = (configuration: object) => c.asManagement('PATCH', path, { configuration })
      const nulls = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, at) => [`S${at}`, null]))
      c.success(await merge(nulls(50)), 204, '50 members are removed')
      c.refused(await merge(nulls(51)), 400, '51 members')
      const values = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, at) => [`S${at}`, at]))
      c.success(await merge(values(25)), 204, '25 values in all')
      c.refused(await merge({ A: 1 }), 400, '26 values in all')
      c.success(await merge(nulls(25)), 204, 'none')
      c.success(await merge({ A: 'x'.repeat(10_000) }), 204, 'a value of 10,000 characters')
      c.refused(await merge({ A: 'x'.repeat(10_001) }), 400, 'a value of 10,001 characters')
    },
  ],
  'IDE-522.b': [
    'a repeated request about a proxy shows it as it is now, with its key, and is 404 when it no longer exists',
    async c => {
      const name = `${c.target.headerPrefix}-IDEMPOTENCY-KEY`
      const send = (method: string, path: string, body: object) =>
        c.asManagement(method, path, body, { headers: { [name]: `${c.tag} ${method}` } })
      const create = () => send('POST', '/proxies', bodyOf(c))
      const { id, key } = c.success(await create(), 201).body
      const path = `/proxies/${id}`
      c.success(await c.asManagement('PATCH', path, { name: `${c.tag} new` }), 204)
      c.matches(c.success(await create(), 201).body, { id, key, name: `${c.tag} new` }, 'the second answer')
      const next = bodyOf(c, { name: c.tag })
      for (const [method, status, body] of [
        ['PUT', 200, next],
        ['PATCH', 204, {}],
      ] as const) {
        const change = (given: object) => send(method, path, given)
        for (const which of ['first', 'second'])
          c.success(await change(body), status, `the ${which} ${method}`)
        c.refused(await change({ ...body, require_auth: false }), 422, `${method} of another body`)
      }
      c.refused(await send('POST', '/proxies', bodyOf(c, { require_auth: false })), 422, 'another body')
      c.equal(c.ids(c.success(await c.asManagement('GET', `/proxies?name=${c.tag}`), 200).body), [id], 'one')
      c.success(await c.asManagement('DELETE', path), 204)
      c.refused(await create(), 404, 'when it is deleted')
      c.refused(await send('PATCH', path, {}), 404, 'an update of it')
    },
    'management',
    'proxies',
  ],
  'PRX-508.a': [
    'each operation on proxies needs its permission',
    async c => {
      const { id } = await made(c)
      const path = `/proxies/${id}`
      const requests = {
        'proxy:create': [['POST', '/proxies', bodyOf(c)]],
        'proxy:read': [
          ['GET', '/proxies'],
          ['GET', path],
        ],
        'proxy:update': [
          ['PUT', path, bodyOf(c)],
          ['PATCH', path, {}],
        ],
        'proxy:delete': [['DELETE', path]],
      } as const
      for (const [permission, all] of Object.entries(requests)) {
        const others = Object.keys(requests).filter(name => name !== permission)
        const [holder, without] = [
          await c.application({ permissions: [permission] }, 'management'),
          await c.application({ permissions: others }, 'management'),
        ]
        for (const [method, to, body] of all) {
          c.refused(await without.call(method, to, body), 403, `${method} ${to} without ${permission}`)
          c.refused(await c.asPrivate(method, to, body), 403, `${method} ${to} with a private key`)
          c.success(await holder.call(method, to, body), undefined, `${method} ${to} with ${permission}`)
        }
      }
      const application = { name: c.tag, type: 'private', permissions: ['token:read', 'proxy:create'] }
      c.refused(await c.asManagement('POST', '/applications', application), 400, 'a private application')
    },
  ],
})
