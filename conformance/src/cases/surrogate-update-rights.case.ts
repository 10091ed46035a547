import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import type { Call } from '../harness/target.ts'
import { rule, ssn } from './values.ts'

const update = ['token:update']
const updating = (transform: string, container: string, priority = 1) =>
  rule(container, transform, update, priority)

/** Changes of each member with expressions over the data: to a value and back to the default. */
const expressions: readonly [member: string, value: unknown][] = [
  ['mask', '{{ data }}'],
  ['mask', null],
  ['fingerprint_expression', '{{ data }}'],
  ['fingerprint_expression', null],
  ['search_indexes', ['{{ data }}']],
  ['search_indexes', []],
  ['search_indexes', null],
]

const secret = (c: Context) => c.token({ type: 'social_security_number', data: ssn })

/** Checks that the caller may change metadata, but no member with expressions. */
async function setsNone(c: Context, who: string, call: Call): Promise<void> {
  const { id } = await secret(c)
  await c.patch(id, { metadata: { a: 'b' } }, call)
  const before = await c.read(id)
  for (const [member, value] of expressions) {
    const reply = await call('PATCH', `/tokens/${id}`, { metadata: { a: 'c' }, [member]: value })
    c.refused(reply, 403, `${member} ${JSON.stringify(value)} by ${who}`)
    c.ok(member in (reply.body?.errors ?? {}), `${member} is named to ${who}`, reply.body?.errors)
  }
  const failing = await call('PATCH', `/tokens/${id}`, { mask: '{{ data | nope }}' })
  c.refused(failing, 403, `an expression that fails, by ${who}`)
  c.equal(await c.read(id), before, `the token afterwards, for ${who}`)
}

/** The rights to set expressions over the data of an existing token, which is read access, and what an update shows. */
export const updateRightCases = cases({
  'ACC-520.a: a private application can set expressions if it holds token:update directly or its rule reveals':
    async c => {
      for (const [who, rights] of [
        ['one that holds it directly', { permissions: update }],
        ['one by a rule that reveals', { rules: [updating('reveal', c.container)] }],
      ] as const) {
        const { call } = await c.application(rights)
        for (const [member, value] of expressions) {
          const { id } = await secret(c)
          const reply = await call('PATCH', `/tokens/${id}`, { [member]: value })
          c.success(reply, 200, `${member} ${JSON.stringify(value)} by ${who}`)
        }
      }
    },
  'ACC-520.b: a private application cannot set expressions if the deciding rule masks or redacts':
    async c => {
      for (const transform of ['mask', 'redact'])
        await setsNone(c, `a rule that ${transform}s`, (await c.ruled(transform, update)).call)
      const both = await c.application({ permissions: update, rules: [updating('mask', c.container)] })
      await setsNone(c, 'a rule that masks before the permission', both.call)
    },
  'ACC-520.c: a public application cannot set expressions, whatever its rule': async c => {
    const direct = await c.application({ permissions: update }, 'public')
    await setsNone(c, 'a public application', direct.call)
    const reveals = await c.application({ rules: [updating('reveal', c.container)] }, 'public')
    await setsNone(c, 'a public application by a rule that reveals', reveals.call)
  },
  'ACC-520.d: each container counts, before and after a move': async c => {
    const [open, shut] = [`${c.container}open/`, `${c.container}shut/`]
    const { call } = await c.application({ rules: [updating('reveal', open), updating('mask', shut, 2)] })
    const send = async ([from, to]: readonly [string[], string[]]) => {
      const { id } = await c.token({ containers: from })
      return call('PATCH', `/tokens/${id}`, { mask: 'X', containers: to })
    }
    await c.refuses<readonly [string[], string[]]>(403, send, [[open], [`${open}a/`]], {
      'one of two that masks': [
        [open, shut],
        [open, shut],
      ],
      'moved into one that masks': [[open], [shut]],
      'moved out of one that masks': [[shut], [open]],
    })
  },
  'ACC-521.a: the response to an update shows a caller who may not read the new data under the previous mask, unless the rule reveals':
    async c => {
      const direct = (await c.application({ permissions: update })).call
      const { id } = await c.token({ data: '123456', mask: '{{ data | last4 }}' })
      const made = await c.patch(id, { data: '987654', mask: '{{ data }}' }, direct)
      c.equal([made.data, made.mask], ['7654', '{{ data }}'], 'data and mask of the answer')
      c.equal((await c.patch(id, {}, direct)).data, '987654', 'data of the next answer')
      const { id: unmasked } = await c.token({ data: '123456' })
      const shown = await c.patch(unmasked, { mask: '{{ data }}' }, direct)
      c.equal(shown.data ?? undefined, undefined, 'data of a token that had no mask')
      const { call } = await c.ruled('reveal', update)
      c.equal((await c.patch(id, { mask: 'X' }, call)).data, '987654', 'data under a rule that reveals')
      c.equal((await c.patch(id, {}, call)).data, '987654', 'data under a rule that reveals, afterwards')
      const redacted = await c.patch(id, {}, (await c.ruled('redact', update)).call)
      c.equal(redacted.data ?? undefined, undefined, 'data under a rule that redacts')
    },
  'ACC-521.b: the same update under its idempotency key shows no more data the second time': async c => {
    const { call } = await c.application({ permissions: update })
    const { id } = await c.token({ data: '123456', mask: '{{ data | last4 }}' })
    const options = c.keyed()
    const send = () => call('PATCH', `/tokens/${id}`, { mask: '{{ data }}' }, options)
    const [first, second] = [c.success(await send(), 200), c.success(await send(), 200)]
    c.equal([first.body.data, second.body.data], ['3456', '3456'], 'data of both responses')
  },
  'ACC-521.c: the response to an update shows a caller who may read what a read shows then': async c => {
    const read = (transform: string) => rule(c.container, transform, ['token:read'], 2)
    for (const [who, rights, shown] of [
      ['masked', { permissions: ['token:update', 'token:read'] }, ['3456', '7654', '9876']],
      ['whole', { permissions: update, rules: [read('reveal')] }, ['123456', '987654', '987654']],
      ['without data', { permissions: update, rules: [read('redact')] }, [undefined, undefined, undefined]],
    ] as const) {
      const { call } = await c.application(rights)
      const { id } = await c.token({ data: '123456', mask: '{{ data | last4 }}' })
      const changes = [{}, { data: '987654' }, { mask: '{{ data | slice: 0, 4 }}' }]
      for (const [at, change] of changes.entries()) {
        const answer = await c.patch(id, change, call)
        c.equal(answer.data ?? undefined, shown[at], `data of answer ${at} to one who reads ${who}`)
        c.equal(answer, await c.read(id, call), `answer ${at} to one who reads ${who}`)
      }
    }
  },
  'SES-520.a: a session cannot set expressions, whatever it was granted': async c => {
    const direct = await c.authorized({ permissions: update })
    await setsNone(c, 'a session', direct.call)
    const reveals = await c.authorized({ rules: [updating('reveal', c.container)] })
    await setsNone(c, 'a session by a rule that reveals', reveals.call)
  },
})
