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

interface Run {
  readonly args: JsonValue
  readonly configuration?: Readonly<Record<string, JsonValue>>
  readonly outcome: object
}

const answered = (raw: JsonValue) => ({ kind: 'answered', raw })
const signed = (secret: string) => {
  const body = '{"type":"charge.succeeded","data":{"id":"ch_1"}}'
  const v1 = createHmac('sha256', secret).update(`17.${body}`).digest('hex')
  return { body, header: `t=17,v1=${v1}` }
}

const runs: Readonly<Record<string, readonly Run[]>> = {
  charge: [
    {
      args: { card, amount: 1250, currency: 'usd', order: 'o-1' },
      configuration: { SECRET_KEY: 'sk' },
      outcome: answered({ id: 'ch_1', status: 'succeeded' }),
    },
    {
      args: { card: { ...card, number: '4000000000000002' }, amount: 1, currency: 'usd', order: 'o-2' },
      outcome: { kind: 'refused', error: 'InvalidPaymentMethodError', errors: { card: ['was declined'] } },
    },
    { args: { card, amount: 1.5 }, outcome: { kind: 'refused', error: 'BadRequestError' } },
  ],
  refund: [{ args: { charge: 'ch_1', amount: 200 }, outcome: answered({ id: 're_1', refunded: 200 }) }],
  'card-bin-lookup': [
    {
      args: card,
      outcome: answered({ bin: '42424242', known: true, scheme: 'visa', country: 'GB', type: 'credit' }),
    },
    { args: { number: '5555 5555 5555 4444' }, outcome: answered({ bin: '55555555', known: false }) },
  ],
  'pdf-receipt': [
    {
      args: { title: 'Receipt (1)', lines: ['Total 12.50'] },
      outcome: { raw: { type: 'application/pdf', pdf: /^JVBERi0xLjQK/ } },
    },
  ],
  'xml-batch': [
    {
      args: {
        batch: 'b-1',
        payments: [
          { name: 'A & <B>', account: '1', cents: 1250 },
          { name: 'C', account: '2', cents: 50 },
        ],
      },
      outcome: answered({ reference: 'B-77', count: 2, total: 1300 }),
    },
  ],
  'hmac-signing': [
    {
      args: { path: '/payments', body: { amount: 5 } },
      configuration: { KEY: 'secret' },
      outcome: answered({ status: 201 }),
    },
    {
      args: { path: '/payments', body: { amount: 5 } },
      configuration: { KEY: 'other' },
      outcome: answered({ status: 401 }),
    },
  ],
  'fraud-score': [
    {
      args: { email: ' Mallory@A.example', ip: '192.0.2.1', amount: 1, card },
      outcome: answered({ score: 91, decision: 'decline' }),
    },
    {
      args: { email: 'alice@a.example', ip: '192.0.2.1', amount: 1, card },
      outcome: answered({ score: 10, decision: 'accept' }),
    },
    {
      args: { email: 'down@a.example', ip: '192.0.2.1', amount: 1, card },
      outcome: answered({ score: null, decision: 'review' }),
    },
  ],
  'payout-file': [
    {
      args: {
        company: 'Café Müller',
        date: '2026-01-31',
        payouts: [{ name: 'Ann', routing: '110000000', account: '123', cents: 1250 }],
      },
      outcome: {
        raw: { records: 1, sum: 1250 },
        tokenize: {
          file: {
            type: 'token',
            data: /^1CAFE MULLER +20260131\r\n6110000000123 +0000001250ANN +\r\n90000010011000000000000001250$/,
          },
        },
      },
    },
    {
      args: {
        company: 'A',
        date: '2026-01-31',
        payouts: [{ name: 'Ann', routing: '1', account: '123', cents: 1 }],
      },
      outcome: { kind: 'refused', errors: { 'args.payouts.0': ['has no valid account'] } },
    },
  ],
  'phone-verification': [
    {
      args: { phone: '+15550100' },
      outcome: {
        raw: { sent: true, to: '…00' },
        tokenize: { code: { type: 'token', data: /^\d{6}$/, expires_at: /Z$/ } },
      },
    },
  ],
  'card-check': [
    { args: card, outcome: answered({ valid: true, network: 'visa', last4: '4242' }) },
    {
      args: { number: '4242424242424241' },
      outcome: answered({ valid: false, network: 'visa', last4: '4241' }),
    },
  ],
  'csv-import': [
    {
      args: { csv: 'name,routing,account\r\n"Ann, ""the"" one",110000000,123\r\nBob,110000000,456\r\n' },
      outcome: {
        raw: { count: 2, names: ['Ann, "the" one', 'Bob'] },
        tokenize: [
          { type: 'bank', data: { routing_number: '110000000', account_number: '123' } },
          { data: { account_number: '456' } },
        ],
      },
    },
    {
      args: { csv: 'name\nAnn' },
      outcome: { kind: 'refused', errors: { 'args.csv': ['has no column routing'] } },
    },
  ],
  'jwt-issue': [
    {
      args: { customer: 'c-1', now: 0 },
      configuration: { KEY: 'k' },
      outcome: answered({
        token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJjLTEiLCJpYXQiOjAsImV4cCI6MzAwfQ.'.concat(
          createHmac('sha256', 'k')
            .update('eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJjLTEiLCJpYXQiOjAsImV4cCI6MzAwfQ')
            .digest('base64url'),
        ),
      }),
    },
  ],
  'webhook-check': [
    {
      args: signed('s'),
      configuration: { SECRET: 's' },
      outcome: answered({ type: 'charge.succeeded', object: 'ch_1' }),
    },
    {
      args: signed('x'),
      configuration: { SECRET: 's' },
      outcome: { kind: 'refused', error: 'AuthenticationError' },
    },
  ],
  'address-normalize': [
    {
      args: { address: { street: '1 Main Street', zip: '12345' } },
      outcome: { raw: { normalized: true, id: /.{36}/ } },
    },
    { args: { address: { street: 'Nowhere 2', zip: '1' } }, outcome: { raw: { normalized: false } } },
  ],
  'subscription-renewal': [
    {
      args: {
        subscriptions: [
          { id: 1, card, amount: 5 },
          { id: 2, card: { number: '4000000000000002' }, amount: 5 },
        ],
      },
      outcome: answered([
        { id: 1, status: 'renewed' },
        { id: 2, status: 'declined' },
      ]),
    },
  ],
  'bank-account-check': [
    {
      args: { routing: '110000000', iban: 'GB82 WEST 1234 5698 7654 32' },
      outcome: answered({ routing: true, iban: true }),
    },
    {
      args: { routing: '110000001', iban: 'GB82 WEST 1234 5698 7654 33' },
      outcome: answered({ routing: false, iban: false }),
    },
  ],
  'currency-conversion': [
    { args: { cents: 1999, from: 'EUR', to: 'USD' }, outcome: answered({ cents: 2174, rate: '1.0875' }) },
    { args: { cents: 1999, from: 'EUR', to: 'EUR' }, outcome: answered({ cents: 1999, rate: '1' }) },
  ],
  'three-d-secure': [
    {
      args: { card, amount: 500, returnUrl: 'https://shop.example' },
      outcome: {
        kind: 'custom',
        status: 202,
        headers: { 'x-next': 'challenge' },
        body: { challenge_url: 'https://acs.example/c/1' },
      },
    },
    {
      args: { card, amount: 5, returnUrl: 'https://shop.example' },
      outcome: answered({ status: 'authenticated' }),
    },
  ],
  'tax-form': [
    {
      args: { year: 2026, amounts: { a: 1, b: 2 } },
      outcome: {
        raw: { year: 2026, number: '***-**-1120', total: 3 },
        tokenize: { form: { data: { name: 'Ann', number: '078-05-1120' } } },
      },
    },
  ],
  'gift-card': [
    {
      args: { loads: [500, 250], pin: 'abc' },
      outcome: answered({ balance: 750, changes: [500, 750], mode: 420, pin: 'YWJj' }),
    },
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
    for (const { args, configuration = {}, outcome } of list) {
      const given = name === 'tax-form' ? { ...(args as object), id: person.json.id } : args
      const made: Outcome = await sandbox.formula(code(name), { args: given, configuration, svc })
      t.match(made, outcome, name)
    }
  }
})
