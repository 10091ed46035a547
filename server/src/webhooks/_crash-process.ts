import { LevelEngine } from '../storage/engines/level/level-engine.ts'
import { openQueue, type Queue } from './_fixture.ts'

/**
 * Run by crash.test.ts as a process of its own, which it kills: accepts a job where it is given a URL for it, and
 * performs and delivers what there is, as far as it is told to go. Says what it has done, a line each.
 */
const [folder = '', key = '', goes = '', callbackUrl = '', advanceMs = '0'] = process.argv.slice(2)

const say = (line: string) => process.stdout.write(`${line}\n`)
const store = await LevelEngine.open(folder)
const queue: Queue = await openQueue({ teardown() {} }, { store, masterKey: Buffer.from(key, 'hex') })

if (callbackUrl !== '') {
  await queue.accept({ callbackUrl })
  say('accepted')
}
if (goes !== 'no further') {
  queue.webhooks.start({
    perform: async (_, receipt) => {
      say('performing')
      if (goes === 'to the formula') return new Promise(() => {})
      const tenant = await queue.store()
      const id = queue.parts.random.uuid()
      const answer = { tokens: id }
      const { ok } = await tenant.commit([tenant.insert('token', { id }), ...receipt(answer)], 1)
      say(ok ? 'committed' : 'overtaken')
      return answer
    },
  })
}
await queue.clock.advance(Number(advanceMs))
// And stays until it is killed.
say('done')
