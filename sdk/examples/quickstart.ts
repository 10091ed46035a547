// biome-ignore-all lint/suspicious/noConsole: an example shows what it does.
/**
 * Stores a card and reads it with two keys. Start a server, then run with the keys that it printed:
 *
 *   SURROGATE_URL=http://127.0.0.1:4000 SURROGATE_PRIVATE_KEY=key_prv_… SURROGATE_MANAGEMENT_KEY=key_mgt_… \
 *     npx tsx sdk/examples/quickstart.ts
 */
import { type Card, NotFoundError, Surrogate } from '@surrogate/sdk'

const { SURROGATE_URL, SURROGATE_PRIVATE_KEY, SURROGATE_MANAGEMENT_KEY } = process.env
if (!SURROGATE_URL || !SURROGATE_PRIVATE_KEY || !SURROGATE_MANAGEMENT_KEY) {
  throw new Error('set SURROGATE_URL, SURROGATE_PRIVATE_KEY and SURROGATE_MANAGEMENT_KEY')
}

// The private key may do everything with tokens, and sees their data whole.
const backend = new Surrogate({ apiKey: SURROGATE_PRIVATE_KEY, baseUrl: SURROGATE_URL })

// The support desk may read tokens. Permissions held directly show data masked.
const management = new Surrogate({ apiKey: SURROGATE_MANAGEMENT_KEY, baseUrl: SURROGATE_URL })
const application = await management.applications.create({
  name: 'Support desk',
  type: 'private',
  permissions: ['token:read'],
})
const support = new Surrogate({ apiKey: application.key, baseUrl: SURROGATE_URL })
console.log(
  `created the application ${application.name} with the permission ${application.permissions.join(', ')}`,
)

const customer = `c_${crypto.randomUUID()}`
const created = await backend.tokens.create({
  type: 'card',
  data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' },
  metadata: { customer },
})
console.log(`stored a card as token ${created.id}`)

const masked = await support.tokens.get<Card>(created.id)
console.log('the support desk sees', masked.data)

const revealed = await backend.tokens.get<Card>(created.id)
console.log('the backend sees', revealed.data)

const updated = await backend.tokens.update<Card>(created.id, {
  data: { expiration_year: 2035 },
  metadata: { plan: 'yearly' },
})
console.log(`the card is now valid until ${updated.data?.expiration_month}/${updated.data?.expiration_year}`)

for await (const token of support.tokens.list<Card>({ metadata: { customer } })) {
  console.log(`tokens of ${customer}: ${token.id} ${token.data?.number}`)
}

await backend.tokens.delete(created.id)
try {
  await backend.tokens.get(created.id)
} catch (error) {
  if (!(error instanceof NotFoundError)) throw error
  console.log(`deleted the card; reading it again throws "${error.message}"`)
}

await management.applications.delete(application.id)
console.log('deleted the application')
