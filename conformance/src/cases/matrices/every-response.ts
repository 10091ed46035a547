import { cases, marked, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import type { Call, Reply } from '../../harness/target.ts'
import { nothing } from '../values.ts'
import type { Cell } from './cell.ts'

/** Requests of each kind, by a caller: what the run checks in every response, these check on purpose. */
const requests: Readonly<
  Record<
    string,
    {
      needs?: Cell['needs']
      status: number
      send(c: Context, options: { headers?: Record<string, string> }): Promise<Reply>
    }
  >
> = {
  create: {
    status: 201,
    send: (c, options) =>
      c.asPrivate('POST', '/tokens', { type: 'token', data: c.tag, containers: [c.container] }, options),
  },
  search: {
    status: 200,
    send: async (c, options) => {
      const { id } = await c.token()
      return c.asPrivate('POST', '/tokens/search', { query: `id:${id}` }, options)
    },
  },
  list: { status: 200, send: (c, options) => c.asPrivate('GET', '/tokens?size=1', undefined, options) },
  update: {
    status: 200,
    send: async (c, options) =>
      c.asPrivate('PATCH', `/tokens/${(await c.token()).id}`, { metadata: { a: 'b' } }, options),
  },
  delete: {
    status: 204,
    send: async (c, options) => c.asPrivate('DELETE', `/tokens/${(await c.token()).id}`, undefined, options),
  },
  detokenize: {
    status: 200,
    send: async (c, options) =>
      c.asPrivate('POST', '/detokenize', { a: `{{ ${(await c.token()).id} }}` }, options),
  },
  tokenize: {
    status: 200,
    send: (c, options) =>
      c.asPrivate('POST', '/tokenize', [{ type: 'token', data: c.tag, containers: [c.container] }], options),
  },
  react: {
    status: 200,
    needs: ['management'],
    send: async (c, options) => c.react(await c.reactor(), { args: { a: c.tag } }, c.asPrivate, options),
  },
  session: {
    status: 201,
    needs: ['public'],
    send: (c, options) => c.asPublic('POST', '/sessions', undefined, options),
  },
  formulas: {
    status: 200,
    needs: ['management'],
    send: (c, options) => c.asManagement('GET', '/reactor-formulas?size=1', undefined, options),
  },
  'not-found': {
    status: 404,
    send: (c, options) => c.asPrivate('GET', `/tokens/${nothing}`, undefined, options),
  },
  invalid: {
    status: 400,
    send: (c, options) => c.asPrivate('POST', '/tokens', { type: 'none', data: 1 }, options),
  },
  unknown: {
    status: 401,
    send: (c, options) => c.as(`key_prv_${c.tag}`)('GET', '/tokens', undefined, options),
  },
  'other-type': {
    status: 403,
    needs: ['management'],
    send: (c, options) => c.asManagement('GET', '/tokens', undefined, options),
  },
  taken: {
    status: 409,
    send: async (c, options) => {
      const { id } = await c.token({ id: `${c.tag}-taken` })
      return c.asPrivate('POST', '/tokens', { id, type: 'token', data: `secret ${c.tag}` }, options)
    },
  },
}

const cells = Object.entries(requests).map(
  ([name, { status, needs, send }]): Row => [
    `WIR-501.each-${name}${marked(needs)}: the response has the trace id of its request, its own status, no key, and is not kept: ${name}`,
    async c => {
      const header = `${c.target.headerPrefix}-TRACE-ID`
      const reply = c.status(await send(c, { headers: { [header]: c.tag } }), status)
      c.equal(reply.headers.get(header), c.tag, 'the trace id')
    },
  ],
)

/** Checks an error that a request with a secret in it causes. */
const refusals: Readonly<
  Record<string, { status: number; needs?: Cell['needs']; send(c: Context, secret: string): Promise<Reply> }>
> = {
  create: {
    status: 400,
    send: (c, secret) =>
      c.asPrivate('POST', '/tokens', { type: 'token', data: { secret }, expires_at: 'tomorrow' }),
  },
  update: {
    status: 400,
    send: async (c, secret) =>
      c.asPrivate('PATCH', `/tokens/${(await c.token()).id}`, { data: { secret }, expires_at: 'tomorrow' }),
  },
  'update-card': {
    status: 400,
    send: async (c, secret) => {
      const { id } = await c.token({ type: 'card', data: { number: '4242424242424242' } })
      return c.asPrivate('PATCH', `/tokens/${id}`, { data: { number: secret, cvc: secret } })
    },
  },
  tokenize: {
    status: 400,
    send: (c, secret) => c.asPrivate('POST', '/tokenize', [{ type: 'card', data: { number: secret } }]),
  },
  taken: {
    status: 409,
    send: async (c, secret) =>
      c.asPrivate('POST', '/tokens', {
        type: 'token',
        id: (await c.token({ id: `${c.tag}-taken` })).id,
        data: secret,
      }),
  },
  'taken-by': {
    status: 409,
    send: async (c, secret) =>
      c.asPrivate('POST', '/tokens', {
        type: 'token',
        id: (await c.token({ id: `${c.tag}-taken`, data: secret })).id,
        data: 1,
      }),
  },
  forbidden: {
    status: 403,
    needs: ['applications'],
    send: async (c, secret) => {
      const { id } = await c.token({ data: { secret }, mask: { secret: '{{ data.secret }}' } })
      return (await c.application({ permissions: ['token:use'] })).call('GET', `/tokens/${id}`)
    },
  },
  'forbidden-delete': {
    status: 403,
    needs: ['applications'],
    send: async (c, secret) => {
      const { id } = await c.token({ data: { secret }, mask: { secret: '{{ data.secret }}' } })
      return (await c.application({ permissions: ['token:use'] })).call('DELETE', `/tokens/${id}`)
    },
  },
  expression: {
    status: 400,
    send: (c, secret) =>
      c.asPrivate('POST', '/tokens', {
        type: 'token',
        data: secret,
        fingerprint_expression: "{{ data | json: '$[' }}",
      }),
  },
}

const refusalCells = Object.entries(refusals).map(
  ([name, { status, needs, send }]): Row => [
    `ERR-507.each-${name}${marked(needs)}: an error contains no data of tokens: ${name.replaceAll('-', ' ')}`,
    async c => {
      const secret = `secret-${c.tag.slice(0, 12)}`
      const reply = c.refused(await send(c, secret), status)
      c.ok(!reply.text.includes(secret), 'the response does not contain the data', reply.text)
    },
  ],
)

const withKeys = {
  'of-the-request': async (c: Context) =>
    [c.target.privateKey, await c.asPrivate('GET', '/tokens?size=1')] as const,
  unknown: async (c: Context) => {
    const key = `key_prv_${c.tag}`
    return [key, c.refused(await c.as(key)('GET', '/tokens'), 401)] as const
  },
  'without-permission': async (c: Context) => {
    const { key, call } = await c.application({ permissions: ['token:use'] })
    return [key, c.refused(await call('GET', '/tokens'), 403)] as const
  },
}

const keyCells = Object.entries(withKeys).map(
  ([name, ask]): Row => [
    `WIR-544.${name}${marked(name === 'without-permission' ? ['applications'] : [])}: a response contains no API key: ${name.replaceAll('-', ' ')}`,
    async c => {
      const [key, reply] = await ask(c)
      const whole = `${[...reply.headers].flat().join('\n')}\n${reply.text}`
      c.ok(!whole.includes(key), 'neither its headers nor its body contain the key', whole)
    },
  ],
)

/** Callers without any right to read, and what they ask for. Its refusal shows nothing of the data. */
const refusedCells = Object.entries({
  get: (call: Call, id: string) => call('GET', `/tokens/${id}`),
  update: (call: Call, id: string) => call('PATCH', `/tokens/${id}`, { metadata: { a: 'b' } }),
  delete: (call: Call, id: string) => call('DELETE', `/tokens/${id}`),
}).map(
  ([name, ask]): Row => [
    `AUT-014.refused-${name} [limited-caller]: a refusal shows no data of the token to a caller that may not read it: ${name}`,
    async c => {
      const secret = crypto.randomUUID()
      const { id } = await c.token({ data: { secret }, mask: { secret: '{{ data.secret }}' } })
      const call = c.has('applications')
        ? (await c.application({ permissions: ['token:use'] })).call
        : c.as(c.target.limitedKey)
      const reply = c.refused(await ask(call, id), 403)
      c.ok(!reply.text.includes(secret), 'the response does not contain the data', reply.text)
    },
  ],
)

/** Responses of each kind, none of which has the key of somebody else. */
const otherKeyCell = cases({
  'AUT-020.each: a response contains the key of no other caller: a create, a list, a refusal': async c => {
    const { privateKey, publicKey, managementKey, otherPrivateKey, otherManagementKey } = c.target
    const keys = [privateKey, publicKey, managementKey, otherPrivateKey, otherManagementKey]
    const created = await c.asPrivate('POST', '/tokens', { type: 'token', data: c.tag })
    const replies = [
      [privateKey, c.success(created, 201)],
      [privateKey, c.success(await c.asPrivate('GET', '/tokens?size=1'), 200)],
      [privateKey, c.refused(await c.asPrivate('GET', `/tokens/${nothing}`), 404)],
      [otherPrivateKey, c.success(await c.asOther('GET', '/tokens?size=1'), 200)],
      [otherPrivateKey, c.refused(await c.asOther('GET', `/tokens/${created.body?.id}`), 404)],
      [undefined, c.refused(await c.as(undefined)('GET', '/tokens'), 401)],
    ] as const
    for (const [own, { headers, text }] of replies) {
      const whole = `${[...headers].flat().join('\n')}\n${text}`
      const others = keys.filter(key => key !== undefined && key !== own)
      c.ok(
        !others.some(key => whole.includes(key ?? '')),
        'neither headers nor body contain another key',
        whole,
      )
    }
  },
})

/** In core a problem need not have a status, and an error need not be a problem. */
const problemCell = cases({
  'ERR-001.each: the status of a problem document is that of its response: without a key, invalid, not found':
    async c => {
      await c.token()
      const replies = [
        await c.as(undefined)('GET', '/tokens'),
        await c.asPrivate('POST', '/tokens', {}),
        await c.asPrivate('GET', `/tokens/${nothing}`),
      ]
      for (const reply of replies) {
        const { headers, body, status } = c.refused(reply)
        if (!/^application\/problem\+json/i.test(headers.get('content-type') ?? '')) continue
        c.equal(body?.status ?? status, status, 'the status of the problem')
      }
    },
})

const statusCell = cases({
  'ERR-514.each: the status in a problem is that of its response: 400, 401, 404, 405, 409 and 415':
    async c => {
      const { id } = await c.token({ id: `${c.tag}-taken` })
      const replies = {
        400: await c.asPrivate('POST', '/tokens', {}),
        401: await c.as(`key_prv_${c.tag}`)('GET', '/tokens'),
        404: await c.asPrivate('GET', `/tokens/${nothing}`),
        405: await c.asPrivate('PUT', '/tokens', {}),
        409: await c.asPrivate('POST', '/tokens', { id, type: 'token', data: 1 }),
        415: await c.asPrivate('POST', '/tokens', {}, { headers: { 'Content-Type': 'text/plain' } }),
      }
      for (const [status, reply] of Object.entries(replies))
        c.equal([reply.status, reply.body?.status], [Number(status), Number(status)], 'the status, twice')
    },
})

/** Paths by their methods, as the contract has them. `Allow` may also name HEAD and OPTIONS. */
const allowCell = cases({
  'ERR-502.allow: Allow lists the methods of each path, and no other': async c => {
    const paths = new Map<string, string[]>()
    for (const { path, method } of c.contract.operations)
      paths.set(path, [...(paths.get(path) ?? []), method.toUpperCase()])
    for (const [path, methods] of paths) {
      // These are also ids of `/tokens/{id}` and `/applications/{id}`, whose methods a server may add.
      if (['/tokens/search', '/applications/key'].includes(path)) continue
      const other = ['PUT', 'PATCH', 'DELETE', 'POST'].find(method => !methods.includes(method))
      if (!other) continue
      const call: Call = c.asPrivate
      const reply = await call(other, path.replaceAll(/\{[^}]+\}/g, nothing), undefined, { plain: true })
      c.refused(reply, 405, `${other} ${path}`)
      const allowed = (reply.headers.get('allow') ?? '')
        .split(/\s*,\s*/)
        .filter(one => !/^(HEAD|OPTIONS)$/.test(one))
      c.equal(allowed.sort(), [...new Set(methods)].sort(), `Allow of ${path}`)
    }
  },
})

/** What holds for every response, of each kind of request. */
export const everyResponseCases = cases([
  ...cells,
  ...refusalCells,
  ...refusedCells,
  ...keyCells,
  ...otherKeyCell,
  ...problemCell,
  ...statusCell,
  ...allowCell,
])
