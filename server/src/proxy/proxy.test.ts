import { gzipSync } from 'node:zlib'
import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { openProxy, target } from './_fixture.ts'

const to = (url: string, more: Record<string, string> = {}) => ({ 'SVC-PROXY-URL': url, ...more })

t.test('expressions in path, query, headers and body are replaced by data', async t => {
  const { tenant, receiver, token } = await openProxy(t, (_request, response) => {
    response.writeHead(201, { 'content-type': 'application/json', 'x-own': 'a' })
    response.end('{"fine":true}')
    return undefined
  })
  const [text, number, object] = [await token('a "b"'), await token(7), await token({ a: 'x' })]
  const { status, json, headers } = await tenant.send(
    'POST',
    `/proxy/more/${encodeURIComponent(`-{{ ${text} }}`)}?q={{ ${number} }}&r=a%2Cb`,
    { whole: `{{ ${object} }}`, number: `{{ ${number} }}`, within: `<{{ ${text} }}>`, [`{{ ${text} }}`]: 1 },
    to(`${target}/v1/{{ ${object} | json: '$.a' }}/?first=1`, {
      'X-Card': `N {{ ${number} }}`,
      'X-Plain': 'p',
    }),
  )
  t.match({ status, json, xOwn: headers.get('x-own') }, { status: 201, json: { fine: true }, xOwn: 'a' })
  const [sent] = receiver.received
  t.equal(sent?.path, '/v1/x/more/-a%20%22b%22?first=1&q=7&r=a%2Cb')
  t.same(JSON.parse(`${sent?.body}`), {
    whole: { a: 'x' },
    number: 7,
    within: '<a "b">',
    [`{{ ${text} }}`]: 1,
  })
  t.match(sent?.headers, { 'x-card': 'N 7', 'x-plain': 'p', host: receiver.origin.slice(7) })
})

t.test('each method is sent on, and a body without expressions as it came', async t => {
  const { tenant, receiver } = await openProxy(t)
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    t.equal((await tenant.send(method, '/proxy', undefined, to(target))).status, 200, method)
  t.same(
    receiver.received.map(({ method, path }) => `${method} ${path}`),
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map(method => `${method} /`),
  )
  const odd = '{"a": 1.50, "a": 12345678901234567890}'
  await tenant.send('POST', '/proxy/', { raw: odd }, to(target))
  t.equal(`${receiver.received.at(-1)?.body}`, odd)
  const { status, headers } = await tenant.send('OPTIONS', '/proxy/a', undefined, to(target))
  t.same({ status, allow: headers.get('allow') }, { status: 405, allow: 'DELETE, GET, PATCH, POST, PUT' })
})

t.test('forms, plain text and XML keep data in its place; other bodies are sent unchanged', async t => {
  const { tenant, receiver, token } = await openProxy(t)
  const id = await token('a&b=<c>"\'{{ x }}')
  const bodies = [
    [
      'application/x-www-form-urlencoded',
      `x={{+${id}+}}&y=1+2`,
      "x=a%26b%3D%3Cc%3E%22'%7B%7B%20x%20%7D%7D&y=1+2",
    ],
    [
      'application/x-www-form-urlencoded',
      `x=%7B%7B%20${id}%20%7D%7D`,
      "x=a%26b%3D%3Cc%3E%22'%7B%7B%20x%20%7D%7D",
    ],
    ['text/plain', `a {{ ${id} }}`, 'a a&b=<c>"\'{{ x }}'],
    [
      'application/soap+xml; charset=utf-8',
      `<a>{{ ${id} }}</a>`,
      '<a>a&amp;b=&lt;c&gt;&quot;&apos;{{ x }}</a>',
    ],
    ['application/octet-stream', `{{ ${id} }}`, `{{ ${id} }}`],
  ]
  for (const [type = '', raw = '', expected] of bodies) {
    const reply = await tenant.send('POST', '/proxy', { raw }, to(target, { 'Content-Type': type }))
    t.equal(reply.status, 200, type)
    t.equal(`${receiver.received.at(-1)?.body}`, expected, type)
  }
  const json = `{"a": "\\u007b\\u007b ${id} }}"}`
  await tenant.send('POST', '/proxy', { raw: json }, to(target))
  t.same(
    JSON.parse(`${receiver.received.at(-1)?.body}`),
    { a: 'a&b=<c>"\'{{ x }}' },
    'braces as JSON may write them',
  )
})

t.test('a body in another charset or encoding has its expressions replaced, or is not sent on', async t => {
  const { tenant, receiver, token } = await openProxy(t)
  const [ascii, accented, wide] = [await token('plain'), await token('caf\u00e9'), await token('\u20ac')]
  const send = (type: string, raw: string | Uint8Array, more: Record<string, string> = {}) =>
    tenant.send('POST', '/proxy', { raw }, to(target, { 'Content-Type': type, ...more }))
  const latin1 = (text: string) => Buffer.from(text, 'latin1')
  const xml = (id: string) =>
    latin1(`<?xml version="1.0" encoding='ISO-8859-1'?><a b="\u00e9">{{ ${id} }}</a>`)
  for (const [type, raw, expected] of [
    ['text/plain; charset=ISO-8859-1', latin1(`\u00e9 {{ ${accented} }}`), '\u00e9 caf\u00e9'],
    ['text/plain; charset="us-ascii"', latin1(`{{ ${ascii} }}`), 'plain'],
    ['application/json; charset=latin1', latin1(`{"\u00e9":"{{ ${accented} }}"}`), '{"\u00e9":"caf\u00e9"}'],
    [
      'application/x-www-form-urlencoded; charset=iso-8859-1',
      latin1(`a=%E9&b={{+${ascii}+}}`),
      'a=%E9&b=plain',
    ],
    [
      'application/xml',
      xml(accented),
      `<?xml version="1.0" encoding='ISO-8859-1'?><a b="\u00e9">caf\u00e9</a>`,
    ],
    ['text/plain; charset=iso-8859-1', latin1('\u00e9'), '\u00e9'],
  ] as const) {
    t.equal((await send(type, raw)).status, 200, type)
    t.equal(receiver.received.at(-1)?.body.toString('latin1'), expected, type)
  }
  t.equal((await send('text/plain', Buffer.from(`\ufeff{{ ${wide} }}`))).status, 200)
  t.equal(`${receiver.received.at(-1)?.body}`, '\u20ac', 'a byte-order mark')
  const sent = receiver.received.length
  const form = 'application/x-www-form-urlencoded; charset=iso-8859-1'
  for (const [type, raw, more] of [
    ['text/plain; charset=iso-8859-1', latin1(`{{ ${wide} }}`)],
    ['text/plain; charset=us-ascii', latin1(`{{ ${accented} }}`)],
    ['text/plain; charset=us-ascii', latin1(`\u00e9 {{ ${ascii} }}`)],
    [form, latin1(`a={{ ${accented} }}`)],
    [form, latin1(`a=\u00e9{{ ${ascii} }}`)],
    ['application/xml', xml(wide)],
    ['application/xml; charset=utf-8', xml(ascii)],
    ['text/plain', latin1(`\u00e9 {{ ${ascii} }}`)],
    ['application/x-www-form-urlencoded', latin1(`a=\u00e9&b={{ ${ascii} }}`)],
    ['application/json', Buffer.from(`{"a":"{{ ${ascii} }}"}`, 'utf16le')],
    ['text/xml', Buffer.from(`\ufeff<a>{{ ${ascii} }}</a>`, 'utf16le')],
    ['text/plain; charset=utf-7', latin1(`{{ ${ascii} }}`)],
    ['application/json', gzipSync(`{"a":"{{ ${ascii} }}"}`), { 'Content-Encoding': 'gzip' }],
    ['application/json', `{"a":"{{ ${ascii} }}"}`, { 'Content-Encoding': 'br' }],
  ] as const) {
    const { status, json } = await send(type, raw, more)
    t.same(
      { status, type: json.type },
      { status: 415, type: 'urn:surrogate:error:unsupported_media_type' },
      `${type} ${json.detail}`,
    )
  }
  t.equal(receiver.received.length, sent, 'nothing was sent on')
})

t.test('rights are those of detokenizing, and so is what is shown', async t => {
  const { tenant, receiver, token } = await openProxy(t)
  const id = await token('plain value')
  const masked = (await tenant.send('POST', '/tokens', { type: 'token', data: 'secret', mask: '***' })).json
    .id
  const ask = (send: typeof tenant.send, text = `{{ ${id} }}`) =>
    send('POST', '/proxy', { a: text }, to(target))
  const reader = await tenant.application({ permissions: ['token:read'] })
  const elsewhere = await tenant.application({
    rules: [{ priority: 1, container: '/other/', transform: 'reveal', permissions: ['token:use'] }],
  })
  const { nonce, session_key } = (await tenant.asPublic('POST', '/sessions')).json
  await tenant.send('POST', '/sessions/authorize', { nonce, permissions: ['token:create'] })
  for (const send of [tenant.asPublic, tenant.asManagement, reader, elsewhere, tenant.as(session_key)])
    t.equal((await ask(send)).status, 403)
  t.equal((await ask(tenant.as(undefined))).status, 401)
  t.equal(receiver.received.length, 0)
  t.equal((await ask(tenant.send)).status, 200)
  const user = await tenant.application({ permissions: ['token:use'] })
  t.equal((await ask(user, `{{ ${masked} }}`)).status, 200)
  t.same(
    receiver.received.map(({ body }) => JSON.parse(`${body}`).a),
    ['plain value', '***'],
  )
  const { data } = (await tenant.asManagement('GET', `/logs?entity_type=proxy`)).json
  const own = data.filter((one: { outcome: string }) => one.outcome === 'success')
  t.match(own, [
    { operation: 'token:use', entity_id: target, actor_id: user.id },
    { operation: 'token:use', entity_id: target },
  ])
  t.ok(data.length > own.length, 'with the refusals')
  const used = (await tenant.asManagement('GET', `/logs?entity_type=token&entity_id=${id}`)).json.data
  t.ok(used.some((one: { operation: string }) => one.operation === 'token:use'))
})

t.test('without an option, /proxy is not found', async t => {
  const vault = openVault(t, { dev: false })
  const tenant = await openTenant(vault)
  for (const path of ['/proxy', '/proxy/a'])
    t.equal((await tenant.send('GET', path, undefined, to(target))).status, 404)
})

t.test('a reactor can change the request, and another gets the response', async t => {
  const { tenant, receiver } = await openProxy(t, (_request, response) => {
    response.writeHead(402, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ number: '4242424242424242', text: '{{ not-a-token }}' }))
    return undefined
  })
  const reactor = async (code: string) => {
    const formula = (
      await tenant.asManagement('POST', '/reactor-formulas', { name: 'F', type: 'private', code })
    ).json
    const body = { name: 'R', configuration: {}, formula: { id: formula.id } }
    return (await tenant.asManagement('POST', '/reactors', body)).json.id
  }
  const request = await reactor(
    `module.exports = async ({ args }) => ({ raw: {
      headers: { 'X-Signed': args.method + args.body.a, 'SVC-API-KEY': 'x', Cookie: 'c' }, body: { b: args.body.a } } })`,
  )
  const response = await reactor(
    `module.exports = async ({ args }) => ({ raw: { status: args.status, text: args.body.text }, tokenize: args.body.number })`,
  )
  const secret = (await tenant.send('POST', '/tokens', { type: 'token', data: 'secret' })).json.id
  const { status, json } = await tenant.send(
    'POST',
    '/proxy',
    { a: `{{ ${secret} }}` },
    to(target, { 'SVC-PROXY-REQUEST-REACTOR': request, 'SVC-PROXY-RESPONSE-REACTOR': response }),
  )
  t.match({ status, json }, { status: 200, json: { raw: { status: 402, text: '{{ not-a-token }}' } } })
  t.equal((await tenant.send('GET', `/tokens/${json.tokens}`)).json.data, '4242424242424242')
  const [sent] = receiver.received
  t.equal(sent?.headers['x-signed'], 'POSTsecret')
  t.notOk(sent?.headers['svc-api-key'] ?? sent?.headers.cookie)
  t.same(JSON.parse(`${sent?.body}`), { b: 'secret' })
  const texts = await reactor(
    `module.exports = async ({ args }) => ({ raw: { body: args.query === 'wide' ? '\\u20ac' : '\\u00e9' } })`,
  )
  const latin1 = { 'Content-Type': 'text/plain; charset=iso-8859-1', 'SVC-PROXY-REQUEST-REACTOR': texts }
  const inLatin1 = (query: string) => tenant.send('POST', `/proxy?${query}`, { raw: 'a' }, to(target, latin1))
  await inLatin1('narrow')
  t.equal(receiver.received.at(-1)?.body.toString('latin1'), '\u00e9', 'in the charset of the request')
  t.equal((await inLatin1('wide')).status, 500, 'a text that it cannot spell')
  const unknown = to(target, { 'SVC-PROXY-RESPONSE-REACTOR': secret })
  t.equal((await tenant.send('GET', '/proxy', undefined, unknown)).status, 400)
})
