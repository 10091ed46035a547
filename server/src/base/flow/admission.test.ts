import fc from 'fast-check'
import t from 'tap'
import { Admission, type Party } from './admission.ts'

t.test('a share is full for its party only, and the total for everybody', async t => {
  const admission = new Admission({ total: 3, application: 2 })
  const end = admission.take({ application: 'a' })
  admission.take({ application: 'a' })
  t.equal(admission.take({ application: 'a' }), undefined)
  t.equal(admission.full({ application: 'a' }), 'application')
  t.ok(admission.take({ application: 'b' }), 'the control')
  t.equal(admission.full({ application: 'c' }), 'total')
  end?.()
  end?.()
  t.equal(admission.total, 2, 'what has ended twice is free once')
  t.ok(admission.take({ application: 'a' }))
  t.same(admission.refused, { application: 1 })
})

t.test('parties that fill their shares leave room for others', async t => {
  const fill = (admission: Admission, party: Party) => {
    let taken = 0
    while (admission.take(party)) taken++
    return taken
  }
  for (const scope of ['tenant', 'host'] as const) {
    const alone = new Admission({ total: 60, [scope]: 20 })
    t.equal(fill(alone, { [scope]: 'a' }), 20, 'a share is whole while it is the only one')
    const crowded = new Admission({ total: 60, [scope]: 20 })
    const held = Array.from({ length: 6 }, (_, n) => fill(crowded, { [scope]: `${n}` }))
    t.ok(held.every(count => count > 0) && crowded.total < 60, `${held}`)
  }
  const fixed = new Admission({ total: 60, application: 20 })
  for (const application of 'abc') fill(fixed, { application })
  t.equal(fixed.total, 60, 'the control: shares within a tenant keep their size')
})

t.test('work larger than a share is admitted while the share is empty', async t => {
  const admission = new Admission({ total: 10, tenant: 5 })
  t.ok(admission.take({ tenant: 'a' }, 8))
  t.equal(admission.take({ tenant: 'a' }, 1), undefined)
  t.ok(admission.take({ tenant: 'b' }, 2))
  t.equal(admission.take({ tenant: 'c' }, 1), undefined)
})

t.test('no order of begins and ends exceeds a bound or loses an amount', async () => {
  const bounds = { total: 10, tenant: 6, session: 3 }
  const party = fc.record({
    tenant: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
    session: fc.option(fc.constantFrom('s', 't'), { nil: undefined }),
  })
  const step = fc.record({
    what: fc.constantFrom('begin', 'end'),
    at: fc.nat(20),
    amount: fc.integer({ min: 1, max: 4 }),
    party,
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const admission = new Admission(bounds)
      const model: { end: () => void; party: Party; amount: number }[] = []
      const held = (scope: 'tenant' | 'session', name: string) =>
        model.reduce((sum, one) => sum + (one.party[scope] === name ? one.amount : 0), 0)
      const total = () => model.reduce((sum, one) => sum + one.amount, 0)
      const fits = (now: number, amount: number, most: number) => now === 0 || now + amount <= most
      const hasRoom = (party: Party, amount: number) => {
        const left = bounds.total - total() - amount
        const tenant = (left * bounds.tenant) / (bounds.total - bounds.tenant)
        return (
          fits(total(), amount, bounds.total) &&
          (['tenant', 'session'] as const).every(scope => {
            const name = party[scope]
            const most = scope === 'tenant' ? tenant : bounds.session
            return name === undefined || fits(held(scope, name), amount, most)
          })
        )
      }
      for (const { what, at, amount, party } of steps) {
        const one = model[at % Math.max(1, model.length)]
        if (what === 'begin') {
          const expected = hasRoom(party, amount)
          const end = admission.take(party, amount)
          if ((end !== undefined) !== expected) return false
          if (end) model.push({ end, party, amount })
        } else if (one) {
          one.end()
          model.splice(model.indexOf(one), 1)
        }
        if (admission.total !== total()) return false
      }
      for (const { end } of model) end()
      return admission.total === 0
    }),
  )
})
