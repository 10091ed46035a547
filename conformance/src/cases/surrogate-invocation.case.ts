import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import { expectSigned } from './tenants-and-webhooks.case.ts'
import { card, hour, minute } from './values.ts'

const echo = 'module.exports = async req => ({ raw: req.args })'
const invoke = async (c: Context, code: string, args: unknown = {}) =>
  c.react(await c.reactor({ code }), { args })

/** Decisions about invocations where the specification is open. */
export const surrogateInvocationCases = cases({
  'INV-502.a: all tokens that do not exist are named': async c => {
    const { id } = await c.token()
    const missing = [`none-${c.tag}-1`, `none-${c.tag}-2`]
    const reactor = await c.reactor({ code: echo })
    c.success(await c.react(reactor, { args: { a: `{{ ${id} }}` } }), 200, 'the control')
    const reply = await c.react(reactor, {
      args: { a: `{{ ${id} }}`, b: missing.map(one => `{{ ${one} }}`) },
    })
    c.refused(reply, 400)
    for (const one of missing) c.ok(reply.body.detail.includes(one), `${one} is named`, reply.body.detail)
    c.ok(!reply.body.detail.includes(id), 'the one that exists is not named', reply.body.detail)
  },
  'INV-503.a: braces in the data of a token stay as they are': async c => {
    const secret = await c.token({ data: 'secret' })
    const { id } = await c.token({ data: `{{ ${secret.id} }}` })
    const { body } = c.success(await invoke(c, echo, { v: `{{ ${id} }}`, w: `a {{ ${id} }}` }), 200)
    c.equal(body.raw, { v: `{{ ${secret.id} }}`, w: `a {{ ${secret.id} }}` }, 'args')
  },
  'INV-504.a: an expression in a longer string becomes text, and a filter picks a member': async c => {
    const { id } = await c.token({ type: 'card', data: card })
    const args = {
      text: `no {{ ${id} | json: '$.number' }}!`,
      month: `{{ ${id} | json: '$.expiration_month' }}`,
    }
    const { body } = c.success(await invoke(c, echo, args), 200)
    c.equal(body.raw, { text: `no ${card.number}!`, month: 12 }, 'args')
    const whole = c.success(await invoke(c, echo, `{{ ${id} }}`), 200).body
    c.equal(whole.raw, card, 'args that are one expression')
  },
  'INV-505.a: an unclosed or empty expression is refused': async c => {
    const { id } = await c.token()
    const reactor = await c.reactor({ code: echo })
    const send = (v: string) => c.react(reactor, { args: { v } })
    await c.refuses(400, send, `{{ ${id} }}`, { 'not closed': `{{ ${id}`, empty: '{{ }}' })
  },
  'INV-506.a: tokens has the form of tokenize, and with one invalid value nothing is stored': async c => {
    const code = `module.exports = async req => ({ tokenize: {
        a: { type: 'card', data: { number: req.args.number }, containers: [req.args.at] },
        b: ['bare', { c: { type: 'token', data: 1, containers: [req.args.at] } }] } })`
    const reactor = await c.reactor({ code })
    const send = (number: string) => c.react(reactor, { args: { number, at: c.container } })
    const { tokens } = c.success(await send(card.number), 200).body
    c.equal((await c.read(tokens.a.id)).data.number, card.number, 'the card')
    c.equal((await c.read(tokens.b[0])).data, 'bare', 'the bare value')
    c.equal((await c.read(tokens.b[1].c.id)).data, 1, 'the token within')
    c.equal(tokens.a.data?.number, 'XXXXXXXXXXXX4242', 'the card in the answer is masked')
    const before = await c.found('')
    c.refused(await send('4242424242424241'), undefined, 'an invocation with a bad card')
    c.equal(await c.found(''), before, 'what is stored afterwards')
  },
  'INV-507.a: each error of a formula has its status': async c => {
    const code = `const errors = require('@surrogate/formula-errors')
        module.exports = async req => { if (req.args.name) throw new errors[req.args.name]('why'); return { raw: 1 } }`
    const reactor = await c.reactor({ code })
    c.success(await c.react(reactor, { args: {} }), 200, 'the control')
    for (const [name, status] of Object.entries({
      BadRequestError: 400,
      AuthenticationError: 401,
      InvalidPaymentMethodError: 402,
      AuthorizationError: 403,
      RateLimitError: 429,
      ReactorRuntimeError: 500,
      InvalidReactorConfigurationError: 400,
    })) {
      const reply = await c.react(reactor, { args: { name } })
      c.equal(reply.status, status, name)
      c.ok(
        JSON.stringify(reply.body?.errors ?? {}).includes('why'),
        `${name} carries what it was given`,
        reply.body?.errors,
      )
    }
  },
  'INV-508.a: status, headers and body are those that the formula chose': async c => {
    const code = `const { CustomHttpResponseError } = require('@surrogate/formula-errors')
        module.exports = async () => { throw new CustomHttpResponseError({
          status: 418, headers: { 'x-kind': 'teapot' }, body: { short: 'stout' } }) }`
    const reply = await invoke(c, code)
    c.equal([reply.status, reply.body], [418, { short: 'stout' }], 'status and body')
    c.equal(reply.headers.get('x-kind'), 'teapot', 'header')
  },
  'INV-509.a: code that does not compile can be stored, and is 422 when it is invoked': async c => {
    await c.refuses(422, code => invoke(c, code), echo, {
      'no JavaScript': 'module.exports = async (',
      'no function': 'module.exports = { a: 1 }',
      'nothing exported': 'const a = 1',
    })
  },
  'INV-510.a: a cycle, a BigInt, a function and objects that are not plain are refused as output':
    async c => {
      const objects = ['new Error("x")', '/a/', 'new Map()', 'new Headers()', 'new Uint8Array(1)']
      const cycle = '(() => { const a = {}; a.a = a; return a })()'
      for (const value of [cycle, '1n', '() => 1', ...objects, '(function* () {})()']) {
        const reply = await invoke(c, `module.exports = async () => ({ raw: ${value} })`)
        c.equal(reply.status, 500, `status of ${value}`)
        c.ok(/JSON/.test(reply.text), 'the problem says so', reply.text)
      }
      const dated = await invoke(c, 'module.exports = async () => ({ raw: [null, new Date(0)] })')
      c.equal(c.success(dated, 200).body?.raw, [null, '1970-01-01T00:00:00.000Z'], 'the control')
    },
  'INV-511.a: an invalid request is refused at once, a valid one is 202 without a body': async c => {
    const reactor = await c.reactor({ code: echo, request_parameters: [{ name: 'n', type: 'number' }] })
    const { url } = (await c.inbox()).open()
    const send = (args: object) => c.react(reactor, { args, callback_url: url })
    const accepted = c.success(await send({ n: 1 }), 202)
    c.equal([accepted.status, accepted.text], [202, ''], 'status and body')
    await c.refuses<object>(
      400,
      send,
      { n: 1 },
      { 'a parameter missing': {}, 'no number': { n: 'x' }, 'no token': { n: '{{ none }}' } },
    )
  },
  'INV-512.a: the webhook contains raw, tokens and the trace id, or the problem': async c => {
    const code = `module.exports = async req => {
        if (req.args.fail) throw new Error('no')
        return { raw: { tag: req.args.tag }, tokenize: { type: 'token', data: req.args.tag, containers: [req.args.at] } }
      }`
    const reactor = await c.reactor({ code })
    const box = (await c.inbox()).open()
    const send = (args: object) => c.react(reactor, { args, callback_url: box.url })
    const reply = c.success(await send({ tag: c.tag, at: c.container }), 202)
    const delivery = await c.eventually(async () => box.deliveries[0], 'the delivery')
    const { raw, tokens } = JSON.parse(delivery.text)
    c.equal(raw, { tag: c.tag }, 'raw')
    c.equal(await c.found(''), [tokens.id], 'the token')
    const name = `${c.target.headerPrefix}-TRACE-ID`
    c.equal(delivery.headers[name.toLowerCase()], reply.headers.get(name), 'the trace id')
    c.success(await send({ fail: true }), 202)
    const failed = await c.eventually(async () => box.deliveries[1], 'the delivery of a failure')
    c.equal(JSON.parse(failed.text).status, 500, 'status of the problem')
  },
  'INV-513.a: the signature of a webhook covers its id, time and body': async c => {
    const { first } = await c.delivered(await c.reactor({ code: echo }), { tag: c.tag })
    expectSigned(c, first, 'first')
    const seconds = String(first.headers['webhook-timestamp'])
    c.ok(/^\d+$/.test(seconds), 'the timestamp is a number of seconds', seconds)
  },
  'INV-514.a: a delivery that gets a 500 is retried under its id, one that gets a 200 is not': async c => {
    const reactor = await c.reactor({ code: echo })
    const { box } = await c.delivered(reactor, { tag: c.tag }, [500, 200])
    await c.eventually(async () => {
      if (box.deliveries.length < 2) await c.advance(minute)
      return box.deliveries[1]
    }, 'the second delivery')
    const [one, two] = box.deliveries
    c.equal(two?.headers['webhook-id'], one?.headers['webhook-id'], 'id of the second')
    await c.advance(hour)
    // The delivery of another invocation shows that this one would have arrived by now.
    await c.delivered(reactor)
    c.equal(box.deliveries.length, 2, 'deliveries in the end')
  },
  'INV-515.a: a public key and a management key cannot invoke': async c => {
    const reactor = await c.reactor({ code: echo })
    await c.refuses(403, one => c.react(reactor, { args: {} }, one), c.asPrivate, {
      'a public key': c.asPublic,
      'a management key': c.asManagement,
    })
  },
  'INV-515.session: a session can invoke, if it was granted that': async c => {
    const reactor = await c.reactor({ code: echo })
    const { call } = await c.authorized({ permissions: ['token:use'] })
    c.success(await c.react(reactor, { args: {} }, call), 200, 'a session')
    const { call: other } = await c.authorized({ permissions: ['token:create'] })
    c.refused(await c.react(reactor, { args: {} }, other), 403, 'one without token:use')
  },
  'INV-520.a: a formula can create tokens with its client, but cannot authorize a session, whose nonce stays usable':
    async c => {
      const { id, call } = await c.application({ permissions: ['token:create'] })
      const code = `module.exports = async ({ args, svc }) => {
        const made = await svc.tokens.create({ type: 'token', data: 'x', containers: [args.at] })
        const authorize = async () => svc.sessions.authorize({ nonce: args.nonce, permissions: ['token:create'] })
        const refused = await authorize().then(() => false, () => true)
        return { raw: { made: typeof made.id, refused } }
      }`
      const reactor = await c.reactor({ code }, { application: { id } })
      const { nonce } = await c.session()
      const { raw } = c.success(await c.react(reactor, { args: { nonce, at: c.container } }), 200).body
      c.equal(raw, { made: 'string', refused: true }, 'raw')
      const authorized = await call('POST', '/sessions/authorize', { nonce, permissions: ['token:create'] })
      c.success(authorized, 200, 'the application itself')
    },
  'INV-521.a: a member __proto__ at any depth of the output is not dropped silently': async c => {
    const code = `const errors = require('@surrogate/formula-errors')
        module.exports = async ({ args }) => {
          const value = JSON.parse(args.text)
          if (args.as === 'body') throw new errors.CustomHttpResponseError({ status: 418, body: value })
          if (args.as === 'errors') throw new errors.BadRequestError(value)
          return { [args.as]: value }
        }`
    const reactor = await c.reactor({ code })
    const controls = { raw: 200, tokenize: 200, body: 418, errors: 400 }
    for (const [as, status] of Object.entries(controls)) {
      const send = (text: string) => c.react(reactor, { args: { as, text } })
      c.equal((await send('{"a":"b","proto":"c"}')).status, status, `${as}, the control`)
      const reply = await send('{"a":"b","__proto__":"c"}')
      c.equal(reply.status, 500, `${as}: status`)
      c.ok(reply.text.includes('__proto__'), `${as}: the problem says so`, reply.text)
    }
  },
  'INV-522.a: headers that make a proxy change the response are refused': async c => {
    const code = `const { CustomHttpResponseError } = require('@surrogate/formula-errors')
        module.exports = async ({ args }) => { throw new CustomHttpResponseError({
          status: 418, headers: { [args.name]: '/etc/passwd' }, body: {} }) }`
    const reactor = await c.reactor({ code })
    const send = (name: string) => c.react(reactor, { args: { name } })
    c.equal((await send('x-kind')).status, 418, 'the control')
    for (const name of [
      ...['x-accel-redirect', 'X-Sendfile', 'X-LIGHTTPD-send-file', 'x-reproxy-url'],
      ...['x-litespeed-location', 'x-envoy-immediate-health-check-fail', 'x-appengine-blobkey'],
    ]) {
      const reply = await send(name)
      c.equal(reply.status, 500, `status with ${name}`)
      c.equal(reply.headers.get(name), null, name)
    }
  },
  'SES-502.a: permissions that the authorizer does not hold, or that are not token permissions, are refused':
    async c => {
      const { call } = await c.application({ permissions: ['token:create', 'token:read'] })
      const authorize = async (permission: string) => {
        const { nonce } = await c.session()
        return call('POST', '/sessions/authorize', { nonce, permissions: [permission] })
      }
      await c.refuses(403, authorize, 'token:create', { 'one that it does not hold': 'token:delete' })
      await c.refuses(400, authorize, 'token:read', { 'one of another kind': 'reactor:read' })
    },
  'SES-503.a: an expiry in the past, or more than a day ahead, is refused': async c => {
    const now = await c.now()
    const at = (ms: number) => new Date(now + ms).toISOString()
    const authorize = async (expires_at: string) => {
      const { nonce } = await c.session()
      return c.asPrivate('POST', '/sessions/authorize', {
        nonce,
        permissions: ['token:create'],
        expires_at,
      })
    }
    await c.refuses(400, authorize, at(23 * hour), {
      'the past': at(-minute),
      'in 25 hours': at(25 * hour),
    })
    // A session ends three minutes after its creation, unless its authorization says otherwise.
    const { nonce, expires_at } = await c.session()
    const day = Date.parse(expires_at) - 3 * minute + 24 * hour
    const until = (ms: number) => {
      const grant = { nonce, permissions: ['token:create'], expires_at: new Date(ms).toISOString() }
      return c.asPrivate('POST', '/sessions/authorize', grant)
    }
    c.refused(await until(day + 5000), 400, 'five seconds more than a day')
    c.success(await until(day - 5000), 200, 'five seconds less')
  },
  'SES-504.a: tokens of a session are created by its public application': async c => {
    const { call } = await c.authorized({ permissions: ['token:create'] })
    const { created_by } = await c.token({}, call)
    c.equal(created_by, (await c.token({}, c.asPublic)).created_by, 'created_by')
  },
  'SES-505.a: the nonce still works after a refusal': async c => {
    const { nonce } = await c.session()
    const authorize = (permissions: string[]) =>
      c.asPrivate('POST', '/sessions/authorize', { nonce, permissions })
    c.refused(await authorize([]), 400, 'nothing granted')
    c.success(await authorize(['token:create']), 200, 'something granted')
  },
})
