import t from 'tap'
import { StoreUnavailable } from '../../port/port.ts'
import { asUnavailable, isDown, isOutage, withRetries } from './faults.ts'

const failed = (code: string, message = 'failed') => Object.assign(new Error(message), { code })
const noWait = () => 0

t.test('a transaction that conflicts with another is retried as a whole', async t => {
  for (const code of ['40001', '40P01']) {
    let attempts = 0
    const result = await withRetries(async () => {
      attempts++
      if (attempts < 6) throw failed(code)
      return 'done'
    }, noWait)
    t.equal(result, 'done')
    t.equal(attempts, 6)
  }
})

t.test('a transaction is retried only a few times, and other errors are not retried', async t => {
  const attempts = async (code: string) => {
    let count = 0
    const attempt = async () => {
      count++
      throw failed(code)
    }
    await t.rejects(withRetries(attempt, noWait), { code })
    return count
  }
  t.equal(await attempts('40001'), 6)
  for (const code of ['23505', '53100', '57P01', 'ECONNRESET', '']) t.equal(await attempts(code), 1, code)
})

t.test('outages are distinguished from wrong statements', async t => {
  const table: readonly [code: string, message: string, outage: boolean, down: boolean][] = [
    ['57P01', 'terminating connection', true, true],
    ['57P03', 'the database system is starting up', true, true],
    ['53100', 'could not extend file', true, true],
    ['53300', 'too many clients', true, true],
    ['25006', 'cannot execute INSERT in a read-only transaction', true, true],
    ['08006', 'connection to the remote node failed', true, false],
    ['58030', 'io error', true, true],
    ['ECONNREFUSED', 'connect ECONNREFUSED', true, true],
    ['', 'Connection terminated unexpectedly', true, true],
    ['', 'timeout exceeded when trying to connect', true, false],
    ['', 'Connection terminated due to connection timeout', true, true],
    ['57014', 'canceling statement due to statement timeout', true, false],
    ['25P03', 'terminating connection due to idle-in-transaction timeout', true, false],
    ['', 'Query read timeout', true, true],
    ['40001', 'could not serialize access', true, false],
    ['XX000', 'could not commit transaction for shard 102011 on at least one active node', true, false],
    ['XX000', 'failure on connection marked as essential: 10.0.0.2:5432', true, false],
    ['XX000', 'cache lookup failed', false, false],
    ['08P01', 'bind message supplies 5 parameters', false, false],
    ['28P01', 'password authentication failed', true, true],
    ['28000', 'role is not permitted to log in', true, true],
    ['55000', 'database is not currently accepting connections', true, true],
    ['42501', 'permission denied for table', true, true],
    ['42P01', 'relation does not exist', true, true],
    ['3D000', 'database does not exist', true, true],
    ['42703', 'column does not exist', false, false],
    ['42601', 'syntax error', false, false],
    ['23505', 'duplicate key', false, false],
    ['', 'something of ours', false, false],
  ]
  for (const [code, message, outage, down] of table) {
    const error = failed(code, message)
    t.equal(isOutage(error), outage, `${code} ${message}`)
    t.equal(isDown(error), down, `${code} ${message}`)
    const told = asUnavailable(error)
    if (outage)
      t.match(told, { name: 'StoreUnavailable', message: 'the database cannot answer at the moment' })
    else t.equal(told, error)
  }
  const known = new StoreUnavailable('the store is closed')
  t.equal(asUnavailable(known), known)
  t.equal(isOutage(undefined), false)
})
