import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { webhooks as sdk } from '../../../sdk/src/index.ts'
import { loader, locateProgram } from '../../verify/support/process.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { newMasterKey } from '../../verify/support/stores.ts'
import { LevelEngine } from '../storage/engines/level/level-engine.ts'
import { openQueue, tenantA } from './_fixture.ts'

const program = fileURLToPath(locateProgram('server/src/webhooks/_crash-process.ts'))
const minute = 60_000

interface Told {
  /** How far it goes: `no further` than acceptance, `to the formula`, `to the end`. */
  readonly goes: string
  readonly callbackUrl?: string
  readonly advanceMs?: number
}

/** Each case kills a process at another moment; the next one on its folder has to bring the job to its end. */
function processesOn(t: { teardown(task: () => unknown): void }, folder: string, key: string) {
  return ({ goes, callbackUrl = '', advanceMs = 0 }: Told) => {
    const args = [...loader, program, folder, key, goes, callbackUrl, String(advanceMs)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const said: string[] = []
    const lines = createInterface({ input: child.stdout }).on('line', line => said.push(line))
    const closed = once(child, 'close')
    const kill = () => {
      child.kill('SIGKILL')
      return closed
    }
    t.teardown(kill)
    return {
      said,
      kill,
      says: async (line: string) => {
        while (!said.includes(line)) await Promise.race([once(lines, 'line'), closed])
      },
    }
  }
}

async function opened(t: Parameters<typeof openQueue>[0], folder: string, key: string) {
  const store = await LevelEngine.open(folder)
  const queue = await openQueue(t, { store, masterKey: Buffer.from(key, 'hex') })
  const page = { nowMs: 0, offset: 0, limit: 0 }
  const tokens = (await store.find('token', tenantA, { op: 'all' }, page)).total
  const facts = { tokens, left: await queue.left(), secret: await queue.secret() }
  await store.close()
  return facts
}

const newKey = () => Buffer.from(newMasterKey()).toString('hex')

t.test('a job that was accepted survives kill -9 before anyone has begun with it', async t => {
  const [folder, key] = [t.testdir({}), newKey()]
  const start = processesOn(t, folder, key)
  const receiver = await openReceiver(t)
  const first = start({ goes: 'no further', callbackUrl: receiver.origin })
  await first.says('accepted')
  await first.kill()
  t.equal(receiver.received.length, 0)

  const second = start({ goes: 'to the end' })
  await second.says('done')
  await second.kill()
  t.equal(receiver.received.length, 1)
  const { tokens, left, secret } = await opened(t, folder, key)
  t.equal(tokens, 1)
  t.same(left, [0, 0])
  const [delivery] = receiver.received
  t.match(await sdk.verify(delivery?.body ?? '', delivery?.headers ?? {}, secret), { tokens: String })
})

t.test('killed while the formula runs, it runs again after its lease, with its tokens once', async t => {
  const [folder, key] = [t.testdir({}), newKey()]
  const start = processesOn(t, folder, key)
  const receiver = await openReceiver(t)
  const first = start({ goes: 'to the formula', callbackUrl: receiver.origin })
  await first.says('performing')
  await first.kill()

  const second = start({ goes: 'to the end' })
  await second.says('done')
  t.same(second.said, ['done'], 'the lease is not over')
  await second.kill()
  const third = start({ goes: 'to the end', advanceMs: minute })
  await third.says('done')
  t.same(third.said, ['performing', 'committed', 'done'])
  await third.kill()
  t.equal(receiver.received.length, 1)
  t.match(await opened(t, folder, key), { tokens: 1, left: [0, 0] })
})

t.test('killed while it delivers, it delivers again under the same id, and runs nothing again', async t => {
  const [folder, key] = [t.testdir({}), newKey()]
  const start = processesOn(t, folder, key)
  // The first time it accepts the request and never responds.
  const receiver = await openReceiver(t, (_, __, count) => (count === 1 ? undefined : 200))
  const first = start({ goes: 'to the end', callbackUrl: receiver.origin })
  await receiver.arrived(1)
  await first.kill()

  const second = start({ goes: 'to the end', advanceMs: minute })
  await second.says('done')
  t.same(second.said, ['done'], 'the formula does not run again')
  await second.kill()
  const [one, two] = receiver.received
  t.equal(receiver.received.length, 2)
  t.equal(one?.headers['webhook-id'], two?.headers['webhook-id'])
  t.same(one?.body, two?.body)
  const { tokens, left, secret } = await opened(t, folder, key)
  t.equal(tokens, 1)
  t.same(left, [0, 0])
  for (const { body, headers } of receiver.received) t.ok(await sdk.verify(body, headers, secret))
})
