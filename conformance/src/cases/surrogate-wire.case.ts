import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import type { Reply } from '../harness/target.ts'
import { bank, card, nothing } from './values.ts'

const json = { 'Content-Type': 'application/json' }

const members = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`member_${index}`, 0]))

/** Returns the number of errors that a problem names. */
const errorsOf = ({ body }: Reply) =>
  Object.values((body as { errors?: Record<string, string[]> }).errors ?? {}).flat().length

function expectFew(c: Context, reply: Reply): void {
  const count = errorsOf(c.refused(reply, 400))
  c.ok(count > 0 && count <= 100, '1 to 100 errors are named', count)
}

/** Decisions about HTTP and errors where the specification is open. */
export const wireCases = cases({
  'WIR-501.a: a trace id of the request is returned, otherwise a new one': async c => {
    const { id } = await c.token()
    const name = `${c.target.headerPrefix}-TRACE-ID`
    const read = (headers: Record<string, string>) =>
      c.asPrivate('GET', `/tokens/${id}`, undefined, { headers, plain: true })
    c.equal((await read({ [name]: c.tag })).headers.get(name), c.tag, 'the trace id')
    const [one, two] = [await read({}), await read({})]
    c.ok(one.headers.get(name) !== two.headers.get(name), 'made ones differ', two.headers.get(name))
    const long = 'x'.repeat(201)
    const answered = (await read({ [name]: long })).headers.get(name)
    c.ok(answered !== long, 'one too long is not repeated', answered)
  },
  'WIR-542.a: no cache may keep a token, a list, an empty answer or a problem': async c => {
    const { id } = await c.token()
    const responses = {
      created: await c.asPrivate('POST', '/tokens', { type: 'token', data: c.tag }),
      read: await c.asPrivate('GET', `/tokens/${id}`),
      listed: await c.asPrivate('GET', '/tokens?size=1'),
      'not found': await c.asPrivate('GET', `/tokens/${c.tag}`),
      refused: await c.asPrivate('POST', '/tokens', {}),
      'without a key': await c.as(undefined)('GET', `/tokens/${id}`),
      deleted: await c.asPrivate('DELETE', `/tokens/${id}`),
    }
    for (const [name, { headers }] of Object.entries(responses)) {
      const directives = (headers.get('cache-control') ?? '').toLowerCase().split(/ *, */)
      c.ok(
        directives.includes('no-store'),
        `Cache-Control of the response ${name} contains no-store`,
        directives,
      )
    }
  },
  'WIR-502.a: the header of the key can have any case, and the path can end in a slash': async c => {
    const headers = { [`${c.target.headerPrefix.toLowerCase()}-api-key`]: c.target.privateKey }
    const { id } = await c.token()
    const read = await c.as(undefined)('GET', `/tokens/${id}/`, undefined, { headers, plain: true })
    c.equal(c.success(read, 200).body?.id, id, 'id')
  },
  'WIR-503.a: an unknown member of a token is ignored': async c => {
    const { id } = await c.token({ nickname: 'x' })
    c.equal((await c.read(id)).nickname, undefined, 'the member')
  },
  'WIR-503.data: an unknown member of card or bank data is refused': async c => {
    const send = (body: object) => c.asPrivate('POST', '/tokens', body)
    await c.refuses<object>(
      400,
      send,
      { type: 'card', data: card },
      { card: { type: 'card', data: { ...card, pin: '1' } } },
    )
    await c.refuses<object>(
      400,
      send,
      { type: 'bank', data: bank },
      { bank: { type: 'bank', data: { ...bank, bic: '1' } } },
    )
  },
  'WIR-504.a: optional members that are null count as left out': async c => {
    const names = ['id', 'mask', 'metadata', 'fingerprint_expression', 'deduplicate_token', 'expires_at']
    const { id, fingerprint_expression } = await c.token(Object.fromEntries(names.map(name => [name, null])))
    c.ok(id, 'there is an id', id)
    c.equal(fingerprint_expression, '{{ data | stringify }}', 'the default expression')
  },
  'WIR-504.parameter [management]: optional members of a parameter that are null count as left out':
    async c => {
      const parameter = { name: 'a', type: 'string' }
      const given = [parameter, { ...parameter, name: 'b', description: null, optional: null }]
      const [left, nulled] = (await c.formula({ request_parameters: given })).request_parameters
      c.equal({ ...nulled, name: 'a' }, left, 'a parameter')
    },
  'WIR-505.a: JSON that cannot be returned unchanged is refused': c =>
    c.refuses(
      400,
      raw => c.asPrivate('POST', '/tokens', undefined, { raw, headers: json }),
      '{"type":"token","data":{"a":9007199254740991}}',
      {
        'a great integer': '{"type":"token","data":{"a":9007199254740993}}',
        'many digits': '{"type":"token","data":{"a":0.1234567890123456789}}',
        'a repeated name': '{"type":"token","data":{"a":1,"a":2}}',
        'a lone surrogate': '{"type":"token","data":{"a":"\\ud800"}}',
        'a dangerous name': '{"type":"token","data":{"__proto__":1}}',
      },
    ),
  'WIR-520.a: numbers that would be returned changed are refused': c =>
    c.refuses(
      400,
      raw => c.asPrivate('POST', '/tokens', undefined, { raw, headers: json }),
      '{"type":"token","data":[0.1,0.30000000000000004,1.0,1.50,1e2,10E-1,5e-324]}',
      Object.fromEntries(
        ['0.30000000000000001', '123456789.123456789012', '4.9e-324', '1e-400', '1e400'].map(number => [
          number,
          `{"type":"token","data":[${number}]}`,
        ]),
      ),
    ),
  'WIR-521.a: the response to metadata with thousands of errors lists at most 100, and all if they are few':
    async c => {
      const send = (metadata: object) => c.asPrivate('POST', '/tokens', { type: 'token', data: 1, metadata })
      expectFew(c, await send(members))
      const few = c.refused(await send({ a: 1, b: 2 }), 400)
      c.equal(errorsOf(few), 2, 'all errors, where they are few')
    },
  'WIR-521.data: the response to a card with thousands of errors lists at most 100, and all if they are few':
    async c => {
      const send = (more: object) =>
        c.asPrivate('POST', '/tokens', { type: 'card', data: { ...card, ...more } })
      expectFew(c, await send(members))
      const few = c.refused(await send({ member_1: 0, member_2: 0 }), 400)
      c.equal(errorsOf(few), 2, 'all errors, where they are few')
    },
  'WIR-521.rules [management]: the response to an application with thousands of errors lists at most 100':
    async c =>
      expectFew(
        c,
        await c.asManagement('POST', '/applications', {
          name: c.tag,
          type: 'private',
          rules: Array(5_000).fill({}),
        }),
      ),
  'WIR-521.payload: the response to a payload of 100 invalid cards has an error of each': async c => {
    const wrong = { type: 'card', data: { number: '1' } }
    const payload = c.refused(await c.asPrivate('POST', '/tokenize', Array(100).fill(wrong)), 400)
    c.equal(errorsOf(payload), 100, 'errors')
  },
  'WIR-506.a: JSON nested 65 levels deep is refused': c => {
    // The body itself is the first level.
    const body = (open: string, depth: number, close: string, inner = '') =>
      `{"type":"token","data":${open.repeat(depth - 1)}${inner}${close.repeat(depth - 1)}}`
    const forms: Readonly<Record<string, (depth: number) => string>> = {
      lists: depth => body('[', depth, ']'),
      objects: depth => body('{"a":', depth, '}', '1'),
      'lists after texts with brackets': depth => body('["]]\\"",', depth, ']', '1'),
      'lists with spaces': depth => body(' [ ', depth, ' ]\n'),
    }
    return c.refuses(
      400,
      raw => c.asPrivate('POST', '/tokens', undefined, { raw, headers: json }),
      `{"type":"token","data":[${Object.values(forms)
        .map(form => form(63).slice('{"type":"token","data":'.length, -1))
        .join(',')},"${'['.repeat(200)}"]}`,
      Object.fromEntries(Object.entries(forms).map(([name, form]) => [`65 ${name}`, form(65)])),
    )
  },
  'WIR-522.a: JSON with 100,001 members and elements is refused': c => {
    const listed = (count: number) => `{"type":"token","data":[${'0,'.repeat(count - 1)}0]}`
    return c.refuses(
      400,
      raw => c.asPrivate('POST', '/tokens', undefined, { raw, headers: json }),
      // The body has two members besides.
      listed(99_998),
      { 'a list of 99,999': listed(99_999), 'a list of 100,001': listed(100_001) },
    )
  },
  'ERR-501.a: a refused create names the invalid members': async c => {
    const reply = await c.asPrivate('POST', '/tokens', {
      type: 'bank',
      data: { ...bank, routing_number: '110000001' },
    })
    c.refused(reply, 400)
    c.ok(
      /^application\/problem\+json/.test(reply.headers.get('content-type') ?? ''),
      'the content type is that of a problem',
      reply.headers.get('content-type') ?? '',
    )
    c.equal(
      [reply.body.status, Object.keys(reply.body.errors)],
      [400, ['data.routing_number']],
      'status and members',
    )
    await c.token({ type: 'bank', data: bank })
  },
  'ERR-502.a: an unknown path is 404, an unsupported method is 405 and lists the supported ones': async c => {
    c.success(await c.asPrivate('GET', '/tokens'), 200, 'the control')
    c.equal((await c.asPrivate('GET', '/none')).status, 404, 'status of a path')
    const reply = await c.asPrivate('PUT', '/tokens', {})
    c.equal(reply.status, 405, 'status of a method')
    const allowed = (reply.headers.get('allow') ?? '').split(/, */).sort()
    c.ok(allowed.includes('GET') && allowed.includes('POST'), 'GET and POST are allowed', allowed)
  },
  'ERR-503.a: malformed JSON is refused': c =>
    c.refuses(
      400,
      raw => c.asPrivate('POST', '/tokens', undefined, { raw, headers: json }),
      '{"type":"token","data":1}',
      {
        'a brace missing': '{"type":"token","data":1',
        'no quotes': '{type:"token","data":1}',
        nothing: '',
        'a list': '[]',
      },
    ),
  'ERR-504.a: a create with another content type is 415': c =>
    c.refuses(
      415,
      type =>
        c.asPrivate('POST', '/tokens', { type: 'token', data: 1 }, { headers: { 'Content-Type': type } }),
      'application/json; charset=utf-8',
      { 'text/plain': 'text/plain', 'application/xml': 'application/xml' },
    ),
  'ERR-505.a: a create over 1 MB is 413': c =>
    c.refuses(
      413,
      size =>
        c.oversized(options =>
          c.asPrivate('POST', '/tokens', { type: 'token', data: 'x'.repeat(size) }, options),
        ),
      900 * 1024,
      {
        '1.1 MB': 1100 * 1024,
      },
    ),
  'ERR-506.a: the first of several errors decides the response': async c => {
    const { id } = await c.token()
    const type = { headers: { 'Content-Type': 'text/plain' } }
    const wrong = { metadata: 1 }
    const patch = (call: typeof c.asPrivate, at: string, body: object, options?: object) =>
      call('PATCH', `/tokens/${at}`, body, { plain: true, ...options })
    const statuses = [
      (await c.as(undefined)('PATCH', '/nowhere', wrong, { ...type, plain: true })).status,
      (await patch(c.as(undefined), nothing, wrong, type)).status,
      (await patch(c.asPrivate, nothing, wrong, type)).status,
      (await patch(c.asPrivate, nothing, wrong)).status,
      (await patch(c.asPrivate, nothing, {})).status,
      (await patch(c.asPrivate, id, {})).status,
    ]
    c.equal(statuses, [404, 401, 415, 400, 404, 200], 'statuses')
  },
  'ERR-507.a: the response to a refused request contains none of its values': async c => {
    const number = '4242424242424241'
    const bad = [
      await c.asPrivate('POST', '/tokens', { type: 'card', data: { number } }),
      await c.asPrivate('POST', '/tokens', {
        type: 'bank',
        data: { routing_number: number, account_number: number.repeat(2) },
      }),
    ]
    for (const reply of bad) {
      c.refused(reply, 400)
      c.ok(!reply.text.includes(number), 'the number is not in the answer', reply.text)
    }
    await c.token({ type: 'card', data: card })
  },
})
