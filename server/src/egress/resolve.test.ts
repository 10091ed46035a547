import type { LookupOptions } from 'node:dns'
import t from 'tap'
import { isPublicAddress } from './addresses.ts'
import { guardedLookup, type Resolve } from './resolve.ts'

const publicOne = { address: '93.184.215.14', family: 4 }
const publicSix = { address: '2606:4700::1', family: 6 }
const privateOne = { address: '10.0.0.1', family: 4 }

/** What a socket would be given to connect to. */
function ask(resolve: Resolve, options: LookupOptions = { all: true }) {
  return new Promise<unknown>((given, fail) => {
    guardedLookup(resolve, isPublicAddress)('api.test', options, (error, address, family) => {
      if (error) fail(error)
      else given(options.all ? address : { address, family })
    })
  })
}

t.test('a socket is given the addresses that pass, and no other', async t => {
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

t.test('a name that changes what it stands for is checked each time anew', async t => {
  const answers = [[publicOne], [privateOne], [publicSix]]
  const rebinding: Resolve = async () => answers.shift() ?? []
  t.same(await ask(rebinding), [publicOne])
  await t.rejects(ask(rebinding), { name: 'EgressError', reason: 'refused' })
  t.same(await ask(rebinding), [publicSix])
  t.equal(answers.length, 0, 'what was checked is what was given: each time one look-up')
})
