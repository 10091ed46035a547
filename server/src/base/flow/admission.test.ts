import fc from 'fast-check'
import t from 'tap'
import { Admission, type Lease, type Party } from './admission.ts'

t.test('a share is full for its party only, and the total for everybody', async t => {
  const admission = new Admission('requests', { total: 3, application: 2 })
  const first = admission.demand({ application: 'a' })
  admission.demand({ application: 'a' })
  t.equal(admission.take({ application: 'a' }), undefined)
  t.equal(admission.full({ application: 'a' }), 'application')
  t.ok(admission.take({ application: 'b' }), 'the control')
  t.equal(admission.full({ application: 'c' }), 'total')
  first.release()
  first.release()
  t.equal(admission.total, 2, 'what was released twice is free once')
  t.ok(admission.take({ application: 'a' }))
  t.same(admission.refused, { application: 1 })
})

t.test('parties that fill their shares leave room for others', async t => {
  const fill = (admission: Admission, party: Party) => {
    let taken = 0
    while (admission.take(party)) taken++
    return taken
  }
  for (const scope of ['tenant', 'peer', 'host'] as const) {
    const alone = new Admission('requests', { total: 60, [scope]: 20 })
    t.equal(fill(alone, { [scope]: 'a' }), 20, 'a share is whole while it is the only one')
    const crowded = new Admission('requests', { total: 60, [scope]: 20 })
    const held = Array.from({ length: 6 }, (_, n) => fill(crowded, { [scope]: `${n}` }))
    t.ok(held.every(count => count > 0) && crowded.total < 60, `${held}`)
  }
  const fixed = new Admission('requests', { total: 60, application: 20 })
  for (const application of 'abc') fill(fixed, { application })
  t.equal(fixed.total, 60, 'the control: shares within a tenant keep their size')
})

t.test('what is counted already stays admitted for those that it is counted for', async t => {
  const admission = new Admission('connections', { total: 10, peer: 5, tenant: 5 })
  const leases = Array.from({ length: 5 }, () => admission.demand({ peer: 'p' }))
  while (admission.take({ peer: 'q' })) {}
  t.equal(admission.full({ peer: 'p' }), 'peer')
  t.ok(leases[0]?.assign({ peer: 'p', tenant: 'a' }))
  t.ok(leases[1]?.assign({ peer: 'q', tenant: 'a' }))
  t.notOk(leases[2]?.assign({ peer: 'q', tenant: 'a' }), 'the control')
})

t.test('a refusal says whose share has no room, and when to try again', async t => {
  const admission = new Admission('large requests', { total: 2, session: 1 })
  admission.demand({ session: 's' })
  t.throws(() => admission.demand({ session: 's' }), {
    code: 'rate_limited',
    headers: { 'Retry-After': '1' },
    message: 'too many large requests of this session at once; try again when some are done',
  })
  admission.demand({})
  t.throws(() => admission.demand({ session: 'other' }), {
    code: 'unavailable',
    headers: { 'Retry-After': '1' },
  })
})

t.test('work is counted for another party once it is known', async t => {
  const admission = new Admission('connections', { total: 9, peer: 9, tenant: 1 })
  const lease = admission.demand({ peer: 'p' })
  t.equal(admission.full({ tenant: 'a' }), undefined)
  t.ok(lease.assign({ peer: 'p', tenant: 'a' }))
  t.equal(admission.full({ tenant: 'a' }), 'tenant')
  const other = admission.demand({ peer: 'p' })
  t.notOk(other.assign({ peer: 'p', tenant: 'a' }))
  t.ok(other.assign({ peer: 'p', tenant: 'b' }))
  t.equal(admission.total, 2)
  lease.release()
  t.ok(other.assign({ peer: 'p', tenant: 'a' }))
})

t.test('work larger than a share is admitted while the share is empty', async t => {
  const admission = new Admission('bytes', { total: 10, tenant: 5 })
  const large = admission.demand({ tenant: 'a' }, 8)
  t.equal(admission.take({ tenant: 'a' }, 1), undefined)
  t.notOk(large.add(1))
  t.ok(admission.take({ tenant: 'b' }, 2))
  t.equal(admission.take({ tenant: 'c' }, 1), undefined)
})

t.test(
  'no order of takes, additions, assignments and releases exceeds a bound or loses an amount',
  async () => {
    const bounds = { total: 10, tenant: 6, session: 3 }
    const party = fc.record({
      tenant: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
      session: fc.option(fc.constantFrom('s', 't'), { nil: undefined }),
    })
    const step = fc.record({
      what: fc.constantFrom('take', 'add', 'assign', 'release'),
      at: fc.nat(20),
      amount: fc.integer({ min: 1, max: 4 }),
      party,
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steps => {
        const admission = new Admission('steps', bounds)
        const model: { lease: Lease; party: Party; amount: number }[] = []
        const held = (scope: 'tenant' | 'session', name: string) =>
          model.reduce((sum, one) => sum + (one.party[scope] === name ? one.amount : 0), 0)
        const total = () => model.reduce((sum, one) => sum + one.amount, 0)
        const fits = (now: number, amount: number, most: number) => now === 0 || now + amount <= most
        const hasRoom = (party: Party, amount: number, before?: Party) => {
          const after = total() + (before ? 0 : amount)
          const tenant = ((bounds.total - after) * bounds.tenant) / (bounds.total - bounds.tenant)
          return (
            (before !== undefined || fits(total(), amount, bounds.total)) &&
            (['tenant', 'session'] as const).every(scope => {
              const name = party[scope]
              const most = scope === 'tenant' ? tenant : bounds.session
              return name === undefined || name === before?.[scope] || fits(held(scope, name), amount, most)
            })
          )
        }
        for (const { what, at, amount, party } of steps) {
          const one = model[at % Math.max(1, model.length)]
          if (what === 'take') {
            const expected = hasRoom(party, amount)
            const lease = admission.take(party, amount)
            if ((lease !== undefined) !== expected) return false
            if (lease) model.push({ lease, party, amount })
          } else if (what === 'add' && one) {
            const expected = hasRoom(one.party, amount)
            if (one.lease.add(amount) !== expected) return false
            if (expected) one.amount += amount
          } else if (what === 'assign' && one) {
            const expected = hasRoom(party, one.amount, one.party)
            if (one.lease.assign(party) !== expected) return false
            if (expected) one.party = party
          } else if (what === 'release' && one) {
            one.lease.release()
            model.splice(model.indexOf(one), 1)
          }
          if (admission.total !== total()) return false
        }
        for (const { lease } of model) lease.release()
        return admission.total === 0
      }),
    )
  },
)
