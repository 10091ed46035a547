import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import t from 'tap'
import { failure } from '../testing/fakes.ts'
import { SurrogateError, WebhookVerificationError, webhooks } from './index.ts'

/** The example of the Standard Webhooks reference libraries. */
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const payload = '{"test": 2432232314}'
const headers = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}
const now = 1614265330_000
const another = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'

type Given = Parameters<typeof webhooks.verify>

function verify(changed: { payload?: Given[0]; headers?: Given[1]; secret?: Given[2]; options?: Given[3] }) {
  const given = { payload, headers, secret, options: { now }, ...changed }
  return webhooks.verify(given.payload, given.headers, given.secret, given.options)
}

async function refused(changed: Parameters<typeof verify>[0]): Promise<string> {
  try {
    await verify(changed)
    return 'accepted'
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    return error.message
  }
}

t.test('the example of the reference libraries is accepted', async t => {
  t.same(await verify({}), { test: 2432232314 })
})

t.test('a refusal says what may be wrong: no secret, another one, or a body that was parsed', async t => {
  for (const nothing of [undefined, '', [undefined]]) {
    const message = 'secret is missing or empty; is its environment variable set?'
    await t.rejects(webhooks.verify(payload, headers, nothing as string), { name: 'TypeError', message })
    await t.rejects(webhooks.sign(payload, nothing as string), { name: 'TypeError' })
  }
  t.match(await refused({ secret: another }), /is it the secret of this tenant, and the raw body/)
})

t.test('the body may be text or bytes, the headers any form and case', async t => {
  const bytes = new TextEncoder().encode(payload)
  for (const one of [payload, bytes, bytes.buffer, Buffer.from(payload)])
    t.same(await verify({ payload: one }), { test: 2432232314 })
  const upper = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  )
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
  for (const one of [new Headers(headers), upper, lists])
    t.same(await verify({ headers: one }), { test: 2432232314 })
})

t.test('the signature of a body outside ASCII covers its bytes', async t => {
  const body = '{"name":"Zoë 🙂"}'
  const signed = { ...headers, 'webhook-signature': await signatureOf(body) }
  t.same(await verify({ payload: body, headers: signed }), { name: 'Zoë 🙂' })
})

t.test('one of several signatures has to match one of several secrets', async t => {
  const wrong = 'v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc='
  const many = [wrong, wrong.replace('v1', 'v2'), 'v1a,x', headers['webhook-signature'], wrong]
  t.ok(await verify({ headers: { ...headers, 'webhook-signature': many.join(' ') } }))
  t.ok(await verify({ secret: [another, secret] }))
  t.ok(await verify({ secret: secret.slice(6) }), 'without its prefix, as other libraries take it')
  const without = many.filter(one => one !== headers['webhook-signature']).join(' ')
  t.match(await refused({ headers: { ...headers, 'webhook-signature': without } }), /no signature matches/)
  t.match(await refused({ secret: [another] }), /no signature matches/)
})

t.test('a delivery with any difference is refused', async t => {
  const id = 'webhook-id'
  const time = 'webhook-timestamp'
  const signature = 'webhook-signature'
  const right = headers[signature]
  const cases: readonly (readonly [name: string, changed: Parameters<typeof verify>[0], says: RegExp])[] = [
    ['another body', { payload: '{"test": 2432232315}' }, /no signature matches/],
    ['a body printed anew', { payload: '{"test":2432232314}' }, /no signature matches/],
    ['another id', { headers: { ...headers, [id]: 'msg_other' } }, /no signature matches/],
    ['another time', { headers: { ...headers, [time]: '1614265331' } }, /no signature matches/],
    [
      'a part of the signature',
      { headers: { ...headers, [signature]: right.slice(0, 12) } },
      /no signature matches/,
    ],
    ['no signature in it', { headers: { ...headers, [signature]: 'v1,' } }, /no signature matches/],
    [
      'a signature that is not base64',
      { headers: { ...headers, [signature]: 'v1,%%%' } },
      /no signature matches/,
    ],
    [
      'another scheme',
      { headers: { ...headers, [signature]: right.replace('v1', 'v2') } },
      /no signature matches/,
    ],
    ['a time that is not a number', { headers: { ...headers, [time]: 'hello' } }, /webhook-timestamp/],
    ['a time with a dot', { headers: { ...headers, [time]: '1614265330.0' } }, /webhook-timestamp/],
    ['no id', { headers: { ...headers, [id]: '' } }, /webhook-id is missing/],
    ['no time', { headers: { ...headers, [time]: undefined } }, /webhook-timestamp is missing/],
    ['no signature', { headers: new Headers({ [id]: 'a', [time]: '1' }) }, /webhook-signature is missing/],
    ['too old', { options: { now: now + 301_000 } }, /300 seconds/],
    ['from the future', { options: { now: now - 301_000 } }, /300 seconds/],
    ['the real time', { options: {} }, /300 seconds/],
    ['a custom tolerance', { options: { now: now + 11_000, tolerance: 10 } }, /10 seconds/],
  ]
  for (const [name, changed, says] of cases) t.match(await refused(changed), says, name)
  t.ok(await verify({ options: { now: new Date(now + 300_000) } }), 'control: just in time')
  t.ok(await verify({ options: { now: now + 10_000, tolerance: 10 } }), 'control: within its tolerance')
})

t.test('a signed body that is not JSON is refused', async t => {
  const empty = { ...headers, 'webhook-signature': await signatureOf('') }
  t.match(await refused({ payload: '', headers: empty }), /not JSON/)
})

t.test('invalid secrets and tolerances are a TypeError', async t => {
  for (const one of ['', 'whsec_', 'whsec_%', [], [secret, '']])
    await t.rejects(verify({ secret: one }), TypeError, JSON.stringify(one))
  for (const tolerance of [-1, Number.NaN])
    await t.rejects(verify({ options: { now, tolerance } }), TypeError)
})

t.test('the error is a SurrogateError and contains no secret', async t => {
  const error = await verify({ secret: another }).catch(error => error)
  t.ok(error instanceof SurrogateError && error instanceof Error)
  t.equal(error.name, 'WebhookVerificationError')
  t.notMatch(String(error.stack), another.slice(6))
})

t.test('a body that was parsed already is a TypeError that asks for the raw one', async t => {
  for (const parsed of [JSON.parse(payload), [], null, undefined, 7, new Map()]) {
    const error = await failure<Error>(verify({ payload: parsed as never }))
    t.ok(error instanceof TypeError)
    t.match(error.message, /raw body/)
  }
})

t.test('bytes and headers of another realm are accepted', async t => {
  const bytes = runInNewContext('Uint8Array.from(list)', { list: [...Buffer.from(payload)] })
  const map = new Map(Object.entries(headers))
  const foreign = { get: (name: string) => map.get(name) ?? null } as unknown as Headers
  for (const one of [bytes, bytes.buffer]) t.ok(await verify({ payload: one, headers: foreign }))
})

t.test('sign makes headers that verify accepts', async t => {
  t.same(await webhooks.sign(payload, secret, { id: headers['webhook-id'], now }), headers)
  const signed = await webhooks.sign(payload, secret)
  t.same(await webhooks.verify(payload, { ...signed }, secret), { test: 2432232314 })
  t.not((await webhooks.sign(payload, secret))['webhook-id'], signed['webhook-id'])
  await t.rejects(webhooks.verify(`${payload} `, { ...signed }, secret), WebhookVerificationError)
  await t.rejects(webhooks.verify(payload, { ...signed }, another), WebhookVerificationError)
  await t.rejects(webhooks.sign(JSON.parse(payload), secret), /raw body/)
  await t.rejects(webhooks.sign(payload, ''), TypeError)
})

t.test('a change of any byte is detected', async t => {
  await t.resolves(
    fc.assert(
      fc.asyncProperty(fc.nat(payload.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const bytes = Buffer.from(payload)
        bytes[at] = (bytes[at] ?? 0) ^ by
        return (await refused({ payload: bytes })) !== 'accepted'
      }),
    ),
  )
})

async function signatureOf(body: string): Promise<string> {
  const bytes = Buffer.from(secret.slice(6), 'base64')
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const text = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
  return `v1,${Buffer.from(await crypto.subtle.sign('HMAC', key, text)).toString('base64')}`
}
