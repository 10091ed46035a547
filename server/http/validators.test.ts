import t from 'tap'
import { ServiceError } from '../base/errors.ts'
import { Validators } from './validators.ts'

const validators = new Validators('ACME')
const create = validators.operations.find(({ id }) => id === 'tokens.create')
if (!create) throw new Error('the contract has no tokens.create')

const parts = { path: {}, query: {}, requestBody: { type: 'token', data: 1 } }

t.test('a refusal names headers as this server calls them', async t => {
  t.equal(validators.checkRequest(create, { ...parts, idempotencyKey: 'fine' }), undefined)
  const refusal = await t.rejects(
    validators.checkRequest(create, { ...parts, idempotencyKey: 'é' }) ?? Promise.resolve(),
  )
  const { errors } = refusal as unknown as ServiceError
  t.same(Object.keys(errors ?? {}), ['acme-idempotency-key'])
})

t.test("a response is held against the contract's headers, whatever this server calls them", async t => {
  const token = {
    id: 'abc',
    tenant_id: '2c1f6f2e-6f0a-4a3c-9a0e-1f2d3c4b5a69',
    type: 'token',
    containers: ['/general/high/'],
    created_by: '2c1f6f2e-6f0a-4a3c-9a0e-1f2d3c4b5a69',
    created_at: '2026-01-31T09:30:00.123456Z',
  }
  const fault = (trace: string, body: object) =>
    validators.findResponseFault(create, 201, { 'ACME-TRACE-ID': trace }, body as never)
  t.equal(await fault('abc', token), undefined)
  t.match(await fault('', token), /headers\/svc-trace-id/)
  t.match(await fault('abc', { ...token, undocumented: 1 }), /additional properties/)
  t.match(await validators.findResponseFault(create, 299, {}, null), /does not have/)
})

t.test('each operation has validators', async t => {
  const nothing = { path: {}, query: {}, idempotencyKey: undefined, requestBody: undefined }
  for (const operation of validators.operations) {
    const outcome = validators.checkRequest(operation, nothing)
    const takesNothing = !operation.bodyRequired && !operation.path.includes('{')
    if (takesNothing) t.equal(outcome, undefined, operation.id)
    else await t.rejects(outcome ?? Promise.resolve(), ServiceError, operation.id)
  }
})
