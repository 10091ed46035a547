import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import type { JsonValue } from '../../src/base/json/json.ts'
import type { EgressRequest } from '../../src/egress/formula-egress.ts'
import { openSandbox } from '../../src/sandbox/_fixture.ts'
import type { Outcome, ServiceTransport } from '../../src/sandbox/sandbox.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'

const folder = new URL('.', import.meta.url)
const code = (name: string) => readFileSync(new URL(`${name}.cjs`, folder), 'utf8')
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }

interface Sent {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Response of a third party. */
type Answer = readonly [status: number, body: JsonValue | string]

const thirdParties: Readonly<Record<string, (sent: Sent) => Answer>> = {
  'pay.example': ({ url, body }) => {
    if (url.pathname.endsWith('/refunds'))
      return [200, { id: 're_1', amount: JSON.parse(body).amount ?? 1250 }]
    if (body.includes('4000000000000002')) return [402, { error: { message: 'was declined' } }]
    return [200, { id: 'ch_1', status: 'succeeded' }]
  },
  'bins.example': ({ url }) =>
    url.pathname === '/42424242' ? [200, { scheme: 'visa', country: 'GB', type: 'credit' }] : [404, {}],
  'bank.example': () => [200, '<Answer><Reference>B-77</Reference></Answer>'],
  'signed.example': ({ url, headers, body }) => {
    const text = ['POST', url.pathname, headers.digest, headers['x-nonce']].join('\n')
    const expected = createHmac('sha256', 'secret').update(text).digest('hex')
    return [headers['x-signature'] === expected && JSON.parse(body).amount === 5 ? 201 : 401, {}]
  },
  'fraud.example': ({ body }) => {
    const { email, bin } = JSON.parse(body)
    if (email === 'down@a.example') return [503, {}]
    return [200, { score: email === 'mallory@a.example' && bin === '424242' ? 91 : 10 }]
  },
  'sms.example': ({ body }) => [/^Your code is \d{6}\.$/.test(JSON.parse(body).text) ? 202 : 400, {}],
  'places.example': ({ url }) =>
    url.searchParams.get('q')?.startsWith('1 Main')
      ? [200, [{ street: '1 MAIN ST', zip: '12345' }]]
      : [200, []],
  'rates.example': () => [200, { rate: '1.0875' }],
  'acs.example': ({ body }) =>
    JSON.parse(body).amount > 100
      ? [200, { status: 'challenge', challengeUrl: 'https://acs.example/c/1' }]
      : [200, { status: 'authenticated' }],
}

async function egress(request: EgressRequest) {
  const url = new URL(request.url)
  const sent = { ...request, url, body: Buffer.from(request.body ?? []).toString() }
  const [status, body] = thirdParties[url.hostname]?.(sent) ?? [500, {}]
  return { status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) }
}

type Run = readonly [args: JsonValue, outcome: object, configuration?: Readonly<Record<string, JsonValue>>]

const answered = (raw: JsonValue) => ({ kind: 'answered', raw })
const signed = (secret: string) => {
  const body = '{"type":"charge.succeeded","data":{"id":"ch_1"}}'
  const v1 = createHmac('sha256', secret).update(`17.${body}`).digest('hex')
  return { body, header: `t=17,v1=${v1}` }
}

const runs: Readonly<Record<string, readonly Run[]>> = {
  charge: [
    [
      { card, amount: 1250, currency: 'usd', order: 'o-1' },
      answered({ id: 'ch_1', status: 'succeeded' }),
      { SECRET_KEY: 'sk' },
    ],
    [
      { card: { ...card, number: '4000000000000002' }, amount: 1, currency: 'usd', order: 'o-2' },
      { kind: 'refused', error: 'InvalidPaymentMethodError', errors: { card: ['was declined'] } },
    ],
    [
      { card, amount: 1.5 },
      { kind: 'refused', error: 'BadRequestError' },
    ],
  ],
  refund: [[{ charge: 'ch_1', amount: 200 }, answered({ id: 're_1', refunded: 200 })]],
  'card-bin-lookup': [
    [card, answered({ bin: '42424242', known: true, scheme: 'visa', country: 'GB', type: 'credit' })],
    [{ number: '5555 5555 5555 4444' }, answered({ bin: '55555555', known: false })],
  ],
  'pdf-receipt': [
    [
      { title: 'Receipt (1)', lines: ['Total 12.50'] },
      { raw: { type: 'application/pdf', pdf: /^JVBERi0xLjQK/ } },
    ],
  ],
  'xml-batch': [
    [
      {
        batch: 'b-1',
        payments: [
          { name: 'A & <B>', account: '1', cents: 1250 },
          { name: 'C', account: '2', cents: 50 },
        ],
      },
      answered({ reference: 'B-77', count: 2, total: 1300 }),
    ],
  ],
  'hmac-signing': [
    [{ path: '/payments', body: { amount: 5 } }, answered({ status: 201 }), { KEY: 'secret' }],
    [{ path: '/payments', body: { amount: 5 } }, answered({ status: 401 }), { KEY: 'other' }],
  ],
  'fraud-score': [
    [
      { email: ' Mallory@A.example', ip: '192.0.2.1', amount: 1, card },
      answered({ score: 91, decision: 'decline' }),
    ],
    [
      { email: 'alice@a.example', ip: '192.0.2.1', amount: 1, card },
      answered({ score: 10, decision: 'accept' }),
    ],
    [
      { email: 'down@a.example', ip: '192.0.2.1', amount: 1, card },
      answered({ score: null, decision: 'review' }),
    ],
  ],
  'payout-file': [
    [
      {
        company: 'Café Müller',
        date: '2026-01-31',
        payouts: [{ name: 'Ann', routing: '110000000', account: '123', cents: 1250 }],
      },
      {
        raw: { records: 1, sum: 1250 },
        tokenize: {
          file: {
            type: 'token',
            data: /^1CAFE MULLER +20260131\r\n6110000000123 +0000001250ANN +\r\n90000010011000000000000001250$/,
          },
        },
      },
    ],
    [
      {
        company: 'A',
        date: '2026-01-31',
        payouts: [{ name: 'Ann', routing: '1', account: '123', cents: 1 }],
      },
      { kind: 'refused', errors: { 'args.payouts.0': ['has no valid account'] } },
    ],
  ],
  'phone-verification': [
    [
      { phone: '+15550100' },
      {
        raw: { sent: true, to: '…00' },
        tokenize: { code: { type: 'token', data: /^\d{6}$/, expires_at: /Z$/ } },
      },
    ],
  ],
  'card-check': [
    [card, answered({ valid: true, network: 'visa', last4: '4242' })],
    [{ number: '4242424242424241' }, answered({ valid: false, network: 'visa', last4: '4241' })],
  ],
  'csv-import': [
    [
      { csv: 'name,routing,account\r\n"Ann, ""the"" one",110000000,123\r\nBob,110000000,456\r\n' },
      {
        raw: { count: 2, names: ['Ann, "the" one', 'Bob'] },
        tokenize: [
          { type: 'bank', data: { routing_number: '110000000', account_number: '123' } },
          { data: { account_number: '456' } },
        ],
      },
    ],
    [{ csv: 'name\nAnn' }, { kind: 'refused', errors: { 'args.csv': ['has no column routing'] } }],
  ],
  'jwt-issue': [
    [
      { customer: 'c-1', now: 0 },
      answered({
        token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJjLTEiLCJpYXQiOjAsImV4cCI6MzAwfQ.'.concat(
          createHmac('sha256', 'k')
            .update('eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJjLTEiLCJpYXQiOjAsImV4cCI6MzAwfQ')
            .digest('base64url'),
        ),
      }),
      { KEY: 'k' },
    ],
  ],
  'webhook-check': [
    [signed('s'), answered({ type: 'charge.succeeded', object: 'ch_1' }), { SECRET: 's' }],
    [signed('x'), { kind: 'refused', error: 'AuthenticationError' }, { SECRET: 's' }],
  ],
  'address-normalize': [
    [{ address: { street: '1 Main Street', zip: '12345' } }, { raw: { normalized: true, id: /.{36}/ } }],
    [{ address: { street: 'Nowhere 2', zip: '1' } }, { raw: { normalized: false } }],
  ],
  'subscription-renewal': [
    [
      {
        subscriptions: [
          { id: 1, card, amount: 5 },
          { id: 2, card: { number: '4000000000000002' }, amount: 5 },
        ],
      },
      answered([
        { id: 1, status: 'renewed' },
        { id: 2, status: 'declined' },
      ]),
    ],
  ],
  'bank-account-check': [
    [{ routing: '110000000', iban: 'GB82 WEST 1234 5698 7654 32' }, answered({ routing: true, iban: true })],
    [
      { routing: '110000001', iban: 'GB82 WEST 1234 5698 7654 33' },
      answered({ routing: false, iban: false }),
    ],
  ],
  'currency-conversion': [
    [{ cents: 1999, from: 'EUR', to: 'USD' }, answered({ cents: 2174, rate: '1.0875' })],
    [{ cents: 1999, from: 'EUR', to: 'EUR' }, answered({ cents: 1999, rate: '1' })],
  ],
  'three-d-secure': [
    [
      { card, amount: 500, returnUrl: 'https://shop.example' },
      {
        kind: 'custom',
        status: 202,
        headers: { 'x-next': 'challenge' },
        body: { challenge_url: 'https://acs.example/c/1' },
      },
    ],
    [{ card, amount: 5, returnUrl: 'https://shop.example' }, answered({ status: 'authenticated' })],
  ],
  'tax-form': [
    [
      { year: 2026, amounts: { a: 1, b: 2 } },
      {
        raw: { year: 2026, number: '***-**-1120', total: 3 },
        tokenize: { form: { data: { name: 'Ann', number: '078-05-1120' } } },
      },
    ],
  ],
  'gift-card': [
    [
      { loads: [500, 250], pin: 'abc' },
      answered({ balance: 750, changes: [500, 750], mode: 420, pin: 'YWJj' }),
    ],
  ],
}

t.test('each example does what it says, with stand-ins for third parties', async t => {
  const files = readdirSync(folder).filter(name => name.endsWith('.cjs'))
  t.same(Object.keys(runs).sort(), files.map(name => name.slice(0, -4)).sort(), 'each has a run')
  const vault = openVault(t)
  const { privateKey, send } = await openTenant(vault)
  const person = await send('POST', '/tokens', {
    type: 'token',
    data: { name: 'Ann', number: '078-05-1120' },
  })
  /** The client acts with the rights of the private key. */
  const svc: ServiceTransport = async ({ method, path, headers, body }) => {
    const init = { method, headers: { ...headers, 'SVC-API-KEY': privateKey } }
    const bytes = body as Uint8Array<ArrayBuffer> | undefined
    const response = await vault.fetch(`http://vault${path}`, bytes ? { ...init, body: bytes } : init)
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    }
  }
  const sandbox = openSandbox(t, { egress })
  for (const [name, list] of Object.entries(runs)) {
    for (const [args, outcome, configuration = {}] of list) {
      const given = name === 'tax-form' ? { ...(args as object), id: person.json.id } : args
      const made: Outcome = await sandbox.formula(code(name), { args: given, configuration, svc })
      t.match(made, outcome, name)
    }
  }
})
