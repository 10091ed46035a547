import { cases } from '../../harness/case.ts'

/** Abilities of the client of a formula. */
export const formulaClientCases = cases({
  'INV-520.depth [management, applications]: a formula can invoke others, of which two may wait for another':
    async c => {
      const { id } = await c.application({ permissions: ['token:use'] })
      const code = `module.exports = async ({ args: { id, left }, svc }) => {
        if (left === 0) return { raw: 'end' }
        const next = await svc.reactors.react(id, { args: { id, left: left - 1 } }).catch(error => ({ raw: error.status }))
        return { raw: next.raw }
      }`
      const reactor = await c.reactor({ code }, { application: { id } })
      for (const [left, expected] of [
        [0, 'end'],
        [2, 'end'],
        [3, 400],
      ] as const) {
        const reply = await c.react(reactor, { args: { id: reactor.id, left } })
        c.equal(c.success(reply, 200).body.raw, expected, `the end of ${left} more`)
      }
    },
  'INV-520.repeated [management, applications]: a repeated request of the client of a formula returns the first success':
    async c => {
      const { id } = await c.application({ permissions: ['token:create'] })
      const code = `module.exports = async ({ args, svc }) => {
        const create = key => svc.tokens.create({ type: 'token', data: 'x', containers: [args.at] }, { idempotencyKey: key })
        const ids = [(await create('one')).id, (await create('one')).id, (await create('two')).id]
        return { raw: [ids[0] === ids[1], ids[0] === ids[2]] }
      }`
      const reactor = await c.reactor({ code }, { application: { id } })
      const { raw } = c.success(await c.react(reactor, { args: { at: c.container } }), 200).body
      c.equal(raw, [true, false], 'which are the same')
    },
  'INV-544.spelling [management, applications]: the client of a formula is refused a member in another spelling than that of the contract':
    async c => {
      const { id } = await c.application({ permissions: ['token:create'] })
      const code = `module.exports = async ({ args: { at }, svc }) => {
        const create = members => svc.tokens.create({ type: 'token', data: 'x', containers: [at], ...members })
        const status = members => create(members).then(() => 201, error => error.status)
        return { raw: [await status({ deduplicate_token: false }), await status({ deduplicateToken: false })] }
      }`
      const reactor = await c.reactor({ code }, { application: { id } })
      const { raw } = c.success(await c.react(reactor, { args: { at: c.container } }), 200).body
      c.equal(raw, [201, 400], 'statuses')
    },
})
