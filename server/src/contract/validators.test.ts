import t from 'tap'
import { ServiceError } from '../base/errors.ts'
import { readDevOperations } from './backend.ts'
import type { Operation } from './contract.ts'
import { type RequestParts, Validators } from './validators.ts'

const validators = new Validators('ACME')
const create = validators.operations.find(({ id }) => id === 'tokens.create')
if (!create) throw new Error('the contract has no tokens.create')

const parts = { path: {}, query: {}, requestBody: { type: 'token', data: 1 } }

function refusalOf(operation: Operation, given: RequestParts): ServiceError | undefined {
  try {
    validators.checkRequest(operation, given)
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  return undefined
}

t.test('a refusal names headers as this server calls them', async t => {
  t.equal(refusalOf(create, { ...parts, idempotencyKey: 'fine' }), undefined)
  const refusal = refusalOf(create, { ...parts, idempotencyKey: 'é' })
  t.same(Object.keys(refusal?.errors ?? {}), ['acme-idempotency-key'])
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
  t.equal(fault('abc', token), undefined)
  t.match(fault('', token), /headers\/svc-trace-id/)
  t.match(fault('abc', { ...token, undocumented: 1 }), /additional properties/)
  t.match(validators.findResponseFault(create, 299, {}, null), /does not have/)
})

t.test('every error has to be a problem document, of each operation', async t => {
  const problem = {
    type: 'urn:surrogate:error:internal',
    title: 'Something went wrong on our side',
    status: 500,
    detail: 'something',
    instance: 'urn:surrogate:trace:abc',
  }
  for (const operation of [...validators.operations, ...readDevOperations()]) {
    const fault = (body: object) =>
      validators.findResponseFault(operation, 500, { 'ACME-TRACE-ID': 'abc' }, body as never)
    t.equal(fault(problem), undefined, operation.id)
    t.match(fault({ ...problem, title: 1 }), /title must be string/, operation.id)
    t.match(fault({ ...problem, undocumented: 1 }), /additional properties/, operation.id)
  }
})

t.test('each operation has validators', async t => {
  const nothing = { path: {}, query: {}, idempotencyKey: undefined, requestBody: undefined }
  for (const operation of [...validators.operations, ...readDevOperations()]) {
    // Without a body, a text is empty.
    const needsBody = operation.bodyRequired && operation.bodyType !== 'text/plain'
    const takesNothing = !needsBody && !operation.path.includes('{')
    t.equal(refusalOf(operation, nothing) === undefined, takesNothing, operation.id)
  }
})
