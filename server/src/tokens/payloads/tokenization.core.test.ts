import t from 'tap'
import type { Caller } from '../../access/caller.ts'
import type { AuditedAction } from '../../audit/entries.ts'
import type { ServiceError } from '../../base/errors.ts'
import { Turns } from '../../base/flow/turns.ts'
import type { JsonObject, JsonValue } from '../../base/json/json.ts'
import { systemRandom } from '../../base/random.ts'
import type { TokenPermission, Transform } from '../../contract/types.ts'
import { Validators } from '../../contract/validators.ts'
import { keyLength } from '../../crypto/envelope.ts'
import { createExpressions } from '../../expressions/engine.ts'
import { MemoryEngine } from '../../storage/engines/memory/memory-engine.ts'
import { Keyring } from '../../storage/keys/keyring.ts'
import { Records } from '../../storage/records/records.ts'
import { TokenChannels } from '../token-parts.ts'
import { Tokens } from '../tokens.ts'
import { resolveReferences } from './detokenize.ts'
import type { RecordedTokens } from './recorded-tokens.ts'
import { tokenize } from './tokenize.ts'

/** Functions that invocations of reactors use, beyond the two endpoints. */
const random = systemRandom()
const nowUs = () => Date.now() * 1000
const engine = new MemoryEngine()
const store = new Records(engine, new Keyring(engine, random.bytes(keyLength), random), random)
const audited: AuditedAction[] = []
const tokens = new Tokens({
  records: store,
  random,
  clock: { nowUs },
  dialect: undefined,
  channels: new TokenChannels(),
  validators: new Validators('SVC'),
  turns: new Turns(),
  expressions: createExpressions({ random: length => random.bytes(length) }),
  audit: { record: (_, action) => void audited.push(action) },
})
const tenant = random.uuid()
const sealed = await store.createTenant(tenant, nowUs())

function caller(transform: Transform, ...permissions: TokenPermission[]): Caller {
  const rules = [{ priority: 1, container: '/', transform, permissions }]
  return { tenant, application: random.uuid(), type: 'private', rights: { permissions: [], rules } }
}

const refusal = (act: Promise<unknown>) =>
  act.then(
    () => undefined,
    (error: ServiceError) => error,
  )

t.test('tokens of a reactor ask for no token:create, belong to the invoker and are shown masked', async t => {
  const invoker = caller('reveal', 'token:use')
  const payload = { bare: 'x', shown: { type: 'token', data: 'secret', mask: '*' } }
  t.match(await refusal(tokenize(tokens.of(invoker), payload)), { code: 'permission_denied' })
  const answer = (await tokenize(tokens.of(invoker), payload, { asksPermission: false })) as JsonObject
  t.match(answer, { bare: String, shown: { data: '*', created_by: invoker.application } })
})

t.test('what an invocation keeps is in the same commit, or nothing is', async t => {
  const invoker = caller('mask', 'token:use')
  const count = async () =>
    (await sealed.find('token', { op: 'all' }, { nowMs: 0, offset: 0, limit: 0 })).total
  const before = await count()
  const receipts: RecordedTokens[] = []
  const options = {
    asksPermission: false,
    receipt: (kept: RecordedTokens) => {
      receipts.push(kept)
      return [sealed.insert('job', { id: 'the job' })]
    },
  }
  const answer = await tokenize(tokens.of(invoker), [1, { type: 'token', data: 2 }], options)
  t.ok(await sealed.get('job', 'the job'))
  t.equal(await count(), before + 2)
  const [bare, shown] = answer as [string, { id: string }]
  const made = [
    { id: bare, as: 'id' },
    { id: shown.id, as: 'created' },
  ]
  t.same(
    receipts[0],
    { shape: [0, 1], tokens: made },
    'which tokens there are, and nothing of what they hold',
  )
  t.match(await refusal(tokenize(tokens.of(invoker), [3], options)), { code: 'idempotency_conflict' })
  t.equal(await count(), before + 2)
  t.match(await refusal(tokenize(tokens.of(invoker), [null], options)), { code: 'idempotency_conflict' })
})

t.test('one token holds no more than one request could have brought', async t => {
  const invoker = caller('mask', 'token:use')
  const make = (data: JsonValue) => tokenize(tokens.of(invoker), data, { asksPermission: false })
  const most = 1024 * 1024 - 2
  t.type(await make('x'.repeat(most)), 'string')
  const found = await refusal(make({ a: ['x'.repeat(most + 1)] }))
  t.match(found, { code: 'validation', errors: { 'a.0': [/bytes/] } })
  const described = { type: 'token', data: 'x'.repeat(most + 1) }
  t.match(await refusal(make([described])), { errors: { '0.data': [/bytes/] } })
})

t.test('arguments are raw data whatever the transform, but not without token:use', async t => {
  const maker = caller('mask', 'token:create')
  const [id] = (await tokenize(tokens.of(maker), ['raw'])) as string[]
  const args = { number: `{{ ${id} }}`, deep: [`<{{ ${id} | upcase }}>`] }
  for (const transform of ['redact', 'mask', 'reveal'] as const) {
    audited.length = 0
    const user = caller(transform, 'token:use')
    t.same(await resolveReferences(tokens.of(user), args, 'raw', 'args'), { number: 'raw', deep: ['<RAW>'] })
    t.match(audited, [{ operation: 'token:use', entity_id: [id], actor: user.application }])
  }
  t.match(await refusal(resolveReferences(tokens.of(maker), args, 'raw')), { code: 'permission_denied' })
  const found = await resolveReferences(tokens.of(caller('mask', 'token:use')), args, 'transformed')
  t.same(found, { number: null, deep: ['<>'] })
})

t.test('the path of the arguments stands before every path', async t => {
  const user = caller('reveal', 'token:use')
  const refused = (args: JsonValue) => refusal(resolveReferences(tokens.of(user), args, 'raw', 'args'))
  t.match(await refused({ a: '{{' }), { errors: { 'args.a': [String] } })
  t.match(await refused('{{'), { errors: { args: [String] } })
  t.match(await refused(Array.from({ length: 101 }, (_, index) => `{{ token ${index} }}`)), {
    errors: { args: [/100/] },
  })
})
