import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { loop } from '../expressions/hostile.model.ts'

const longTurns = () => {
  let ms = 0
  return () => {
    ms += 10
    return ms
  }
}

/** Counts the turns that other work had before a create was answered. */
async function turnsDuring(t: Parameters<typeof openVault>[0], monotonicMs: () => number, body: object) {
  const tenant = await openTenant(openVault(t, { dev: false, storage: 'memory:' }, { monotonicMs }))
  // The first use compiles code, which takes additional turns.
  await tenant.send('POST', '/tokens', { type: 'token', data: 'x', mask: '{{' })
  let turns = 0
  let done = false
  const others = async () => {
    for (; !done; turns++) await new Promise(resolve => setImmediate(resolve))
  }
  const waiting = others()
  const { status } = await tenant.send('POST', '/tokens', { type: 'token', data: 'x', ...body })
  done = true
  await waiting
  return { status, turns }
}

t.test('between the expressions of a token others have their turn, once they have lasted', async t => {
  const hostile = { mask: '{{ data }}', search_indexes: ['{{ data }}', loop(loop('{{ data }}'))] }
  const [slow, quick] = [await turnsDuring(t, longTurns(), hostile), await turnsDuring(t, () => 0, hostile)]
  t.match([slow, quick], [{ status: 400 }, { status: 400 }])
  t.equal(slow.turns - quick.turns, 2, 'behind the mask and behind the fingerprint')
})

t.test('between the steps of a large body others have their turn', async t => {
  const refused = (length: number) => turnsDuring(t, longTurns(), { data: 'x'.repeat(length), mask: '{{' })
  const [large, small] = [await refused(66_000), await refused(65_000)]
  t.match([large, small], [{ status: 400 }, { status: 400 }])
  t.equal(large.turns - small.turns, 5, 'around its decoding, its parsing, its scan and its validation')
})

t.test('one search index of many that take long ends all of them', async t => {
  const tenant = await openTenant(openVault(t))
  const long = '{% for i in (1..5000) %}{% endfor %}x'
  const made = (count: number) =>
    tenant.send('POST', '/tokens', {
      type: 'token',
      data: 'x',
      search_indexes: Array.from({ length: count }, (_, index) => `${long}${index}`),
    })
  t.equal((await made(2)).status, 201)
  const { status, json } = await made(10)
  t.equal(status, 400)
  t.match(json.errors['search_indexes.9'], [/takes more than 20000 steps/])
})
