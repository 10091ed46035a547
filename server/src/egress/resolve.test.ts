import type { LookupOptions } from 'node:dns'
import t from 'tap'
import { isPublicAddress } from './addresses.ts'
import { guardedLookup, type Resolve } from './exchange.ts'

const publicOne = { address: '93.184.215.14', family: 4 }
const publicSix = { address: '2606:4700::1', family: 6 }
const privateOne = { address: '10.0.0.1', family: 4 }

/** Returns the addresses that a socket would connect to. */
function ask(resolve: Resolve, options: LookupOptions = { all: true }) {
  return new Promise<unknown>((given, fail) => {
    guardedLookup(resolve, isPublicAddress)('api.test', options, (error, address, family) => {
      if (error) fail(error)
      else given(options.all ? address : { address, family })
    })
  })
}

t.test('a socket gets the accepted addresses only', async t => {
  const mixed: Resolve = async () => [privateOne, publicOne, publicSix]
  t.same(await ask(mixed), [publicOne, publicSix])
  t.same(await ask(mixed, {}), publicOne)
  await t.rejects(
    ask(async () => [privateOne]),
    { name: 'EgressError', reason: 'refused' },
  )
  await t.rejects(
    ask(async () => []),
    { name: 'EgressError', reason: 'refused' },
  )
})

t.test('a name is checked each time it is resolved', async t => {
  const answers = [[publicOne], [privateOne], [publicSix]]
  const rebinding: Resolve = async () => answers.shift() ?? []
  t.same(await ask(rebinding), [publicOne])
  await t.rejects(ask(rebinding), { name: 'EgressError', reason: 'refused' })
  t.same(await ask(rebinding), [publicSix])
  t.equal(answers.length, 0, 'each time, the address is resolved once')
})
