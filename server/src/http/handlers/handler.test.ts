import t from 'tap'
import { readOperations } from '../../contract/backend.ts'
import {
  checkHandlers,
  type Handler,
  type HandlerRequest,
  type Handlers,
  type HandlersOf,
  type Replays,
} from './handler.ts'

/** Each of these is checked when it compiles: `@ts-expect-error` fails where there is no error. */
t.test('requests and responses have the types of the contract', async t => {
  const request = (given: unknown) => given as HandlerRequest<'reactors.list'>
  const { query } = request({ query: { page: 1, size: 20 } })
  const page: number = query.page
  // @ts-expect-error: a parameter without a default may be absent
  const name: string = query.name
  t.equal(page, 1)
  t.equal(name, undefined)

  // @ts-expect-error: the contract has 204 alone
  const wrongStatus: Handler<'tokens.delete'> = async () => ({ status: 200 })
  const withoutBody: Handler<'sessions.authorize'> = async () => ({ status: 200 })
  // @ts-expect-error: the contract has a body for this answer
  const missingBody: Handler<'sessions.create'> = async () => ({ status: 201 })
  const body = { session_key: '', nonce: '' }
  // @ts-expect-error: expires_at is missing
  const wrongBody: Handler<'sessions.create'> = async () => ({ status: 201, body })
  const wrongRequest: Handler<'applications.create'> = async ({ body }) => {
    // @ts-expect-error: not a member of this body
    throw body.code
  }
  t.ok(
    [wrongStatus, withoutBody, missingBody, wrongBody, wrongRequest].every(one => typeof one === 'function'),
  )
})

t.test('each operation has one handler, and one replay if it takes an idempotency key', async t => {
  const list: Handler<'logs.list'> = async () => Promise.reject(new Error('never called'))
  // @ts-expect-error: sessions.authorize is missing
  const missing: HandlersOf<'sessions'> = { 'sessions.create': async () => Promise.reject() }
  const surplus: HandlersOf<'logs'> = {
    'logs.list': list,
    // @ts-expect-error: the contract has no such operation
    'logs.create': list,
  }
  type IsHandled = keyof Handlers extends `${string}`
    ? 'detokenize' extends keyof Handlers
      ? true
      : false
    : false
  type IsReplayed = 'reactors.react' extends keyof Replays
    ? 'tokens.list' extends keyof Replays
      ? false
      : true
    : false
  const [isHandled, isReplayed]: [IsHandled, IsReplayed] = [true, true]
  t.ok([missing, surplus, isHandled, isReplayed].every(Boolean))
})

t.test('no server starts with an operation without a handler, or a handler without an operation', async t => {
  const operations = readOperations()
  const handlers = Object.fromEntries(operations.map(({ id }) => [id, () => {}]))
  checkHandlers(handlers, operations)
  t.throws(() => checkHandlers(handlers, operations.slice(1)), /^no operation for tokens\.list$/)
  const { 'tokens.get': _one, ...others } = handlers
  t.throws(() => checkHandlers(others, operations), { message: 'no handler for tokens.get' })
})
