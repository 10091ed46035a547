import { Surrogate } from '@surrogate/sdk'
import t, { type Test } from 'tap'
import { Canaries, cardNumber, findLeaks } from '../verify/support/canaries.ts'
import { openVault } from '../verify/support/vault.ts'
import { Recorder, type Recording, replay } from './testing-recording.ts'

async function openShop(t: Test) {
  const vault = openVault(t)
  const tenant = await vault.createTenant()
  return { vault, tenant }
}

/** What a test of an application may do, with values that must not be in the recording. */
async function runTheApplication(
  recorder: Recorder,
  { privateKey, managementKey }: { privateKey: string; managementKey: string },
  canaries: Canaries,
) {
  const client = (apiKey: string) => new Surrogate({ apiKey, baseUrl: 'http://vault', fetch: recorder.fetch })
  const [surrogate, manage] = [client(privateKey), client(managementKey)]
  const card = canaries.add('a card', cardNumber())
  const metadata = { order: canaries.word('metadata'), [canaries.digits('a name', 16)]: 'x' }
  const { id } = await surrogate.tokens.create({
    type: 'card',
    data: { number: card, expiration_month: 12, expiration_year: 2031 },
    metadata,
  })
  await surrogate.tokens.create(
    {
      id: canaries.digits('an id', 16),
      type: 'token',
      data: {
        [canaries.digits('a member', 16)]: canaries.word('data'),
        amount: Number(canaries.digits('a number', 12)),
      },
    },
    { idempotencyKey: canaries.digits('an idempotency key', 16) },
  )
  await surrogate.tokens.create({
    type: 'bank',
    data: { routing_number: '110000000', account_number: canaries.digits('an account', 12) },
  })
  await surrogate.tokens.create({
    type: 'social_security_number',
    data: canaries.like('an identity', '123-45-6789'),
  })
  await surrogate.tokens.get(id)
  await surrogate.tokens.get(canaries.digits('a path', 16)).catch(() => {})
  await surrogate.tokens.list({ metadata: { order: metadata.order } })
  await surrogate.tokens.search({ query: `metadata.order:"${metadata.order}"` })
  await surrogate.tokenize({
    card: { type: 'card', data: { number: card } },
    name: canaries.word('tokenized'),
  })
  await surrogate.detokenize({ number: `{{ ${id} | json: '$.number' }}` })
  const { key } = await manage.applications.create({
    name: 'a',
    type: 'private',
    permissions: ['token:read'],
  })
  if (key === undefined) throw new Error('no key')
  canaries.add('a new key', key)
  await client(key).tokens.get(id)
  const formula = await manage.reactorFormulas.create({
    name: 'a',
    type: 'private',
    code: 'module.exports = async ({ args }) => ({ raw: { twice: args.card + args.card } })',
  })
  const reactor = await manage.reactors.create({ name: 'a', formula: { id: formula.id }, configuration: {} })
  await surrogate.reactors.react(reactor.id, { args: { card: canaries.digits('an argument', 16) } })
  const callback_url = `https://inbox.surrogate.invalid/${canaries.digits('a callback url', 16)}`
  await surrogate.reactors.react(reactor.id, { args: {}, callback_url })
  await surrogate.tokens.delete(id)
}

async function record(t: Test): Promise<{ recording: Recording; canaries: Canaries }> {
  const { vault, tenant } = await openShop(t)
  const canaries = new Canaries()
  for (const key of [tenant.privateKey, tenant.managementKey]) canaries.add('a key', key)
  const recorder = new Recorder({ fetch: vault.fetch })
  await runTheApplication(recorder, tenant, canaries)
  return { recording: JSON.parse(JSON.stringify(recorder.recording())), canaries }
}

t.test('a recording has no value of the run, and is repeated on another server', async t => {
  const { recording, canaries } = await record(t)
  t.equal(recording.exchanges.length, 17)
  t.equal(recording.keys.length, 2, 'the key that a response gave is not asked for')
  t.same(findLeaks(canaries.all, JSON.stringify(recording)), [])
  const { vault, tenant } = await openShop(t)
  const keys = [tenant.privateKey, tenant.managementKey]
  const differences = await replay(recording, { baseUrl: 'http://vault', fetch: vault.fetch, keys })
  t.same(differences, [])
})

t.test('a difference is named, without a value', async t => {
  const { recording } = await record(t)
  const { vault, tenant } = await openShop(t)
  const fetch = vault.fetch
  const altered = async (url: string, init?: RequestInit) => {
    const response = await fetch(url, init)
    if (init?.method !== 'POST' || !url.endsWith('/tokens')) return response
    const { fingerprint: _, ...rest } = await response.json()
    return Response.json({ ...rest, extra: 'x', type: `${rest.type}s` }, { status: response.status })
  }
  const options = { baseUrl: 'http://vault', keys: [tenant.privateKey, tenant.managementKey] }
  const differences = await replay(recording, { ...options, fetch: altered })
  const first = differences.filter(({ exchange }) => exchange === 1)
  t.match(
    first,
    [
      { request: 'POST /tokens', member: 'response.type', recorded: 'string(4)', received: 'string(5)' },
      { member: 'response.fingerprint', received: 'nothing' },
      { member: 'response.extra', recorded: 'nothing', received: 'string(1)' },
    ].sort(
      (a, b) =>
        first.findIndex(({ member }) => member === a.member) -
        first.findIndex(({ member }) => member === b.member),
    ),
  )
  const other = await openShop(t)
  const keys = [other.tenant.publicKey, other.tenant.managementKey]
  const refused = await replay(recording, { baseUrl: 'http://vault', fetch: other.vault.fetch, keys })
  t.match(
    refused.find(({ member }) => member === 'status'),
    { request: 'GET /tokens/{id}', recorded: '200', received: '403' },
  )
})

t.test('what cannot be repeated is refused', async t => {
  const { recording } = await record(t)
  const options = { baseUrl: 'http://vault', keys: [] }
  await t.rejects(replay(recording, options), { message: /keys must have 2 API keys/ })
  await t.rejects(replay({} as never, options), { message: /not a recording of version 1/ })
  const [exchange] = recording.exchanges
  const elsewhere = { ...recording, exchanges: [{ ...exchange, path: '@example.com/tokens' }] } as Recording
  await t.rejects(replay(elsewhere, { ...options, keys: ['a', 'b'] }), { message: /does not begin with/ })
  const recorder = new Recorder({ fetch: async () => Response.json({}) })
  for (let sent = 0; sent < 1000; sent++) await recorder.fetch('http://vault/tokens')
  await t.rejects(recorder.fetch('http://vault/tokens'), { message: /at most 1000 requests/ })
})
