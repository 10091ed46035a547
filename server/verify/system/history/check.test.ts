import fc from 'fast-check'
import t from 'tap'
import { simulate } from './_simulated.ts'
import type { Call } from './call.ts'
import { hostile } from './check.cases.ts'
import { checkHistory } from './check.ts'

for (const { name, honest, lies } of hostile) {
  t.test(name, async t => {
    t.same(checkHistory(honest), [], 'the same history without the lie is accepted')
    for (const [what, history, says] of lies) t.match(checkHistory(history).join('\n'), says, what)
  })
}

/** Draws histories of a correct server. */
const histories = fc
  .record({
    seed: fc.array(fc.nat(), { minLength: 50, maxLength: 300 }),
    steps: fc.integer({ min: 5, max: 120 }),
  })
  .map(({ seed, steps }) => {
    let at = 0
    return simulate(options => (seed[at++ % seed.length] ?? 0) % options, steps)
  })

t.test('histories of a correct server are accepted', async t => {
  fc.assert(
    fc.property(histories, history => {
      const faults = checkHistory(history)
      if (faults.length > 0) throw new Error(faults.join('\n'))
    }),
    { numRuns: 150 },
  )
  t.pass()
})

t.test('a history with one changed response is refused', async t => {
  let changed = 0
  const change = (history: readonly Call[], at: number, to: (call: Call) => Call | undefined) => {
    const call = history[at % Math.max(1, history.length)]
    const lie = call && to(call)
    if (!lie) return
    changed++
    const lying = history.map(one => (one === call ? lie : one))
    if (checkHistory(lying).length === 0) throw new Error(`accepted: ${JSON.stringify(lie)}`)
  }
  fc.assert(
    fc.property(histories, fc.nat(), fc.nat(4), (history, at, kind) => {
      change(history, at, call => {
        const { answer } = call
        if (answer?.is === 'token') {
          const { token } = answer
          if (kind === 0) return { ...call, answer: { ...answer, token: { ...token, mark: 'unknown' } } }
          const fields = { ...token.fields, a: 'never written' }
          return { ...call, answer: { ...answer, token: { ...token, fields } } }
        }
        if (answer?.is !== 'page' || answer.tokens.length === 0) return undefined
        const { tokens } = answer
        if (kind === 0) return { ...call, answer: { ...answer, total: tokens.length - 1 } }
        if (kind === 1) return { ...call, answer: { ...answer, tokens: [...tokens, ...tokens] } }
        if (kind === 2 && tokens.length > 1)
          return { ...call, answer: { ...answer, tokens: tokens.toReversed() } }
        // A page that ends early without saying so.
        if (kind === 3 && answer.isLast && call.request.do === 'page' && !call.request.after)
          return { ...call, answer: { ...answer, tokens: tokens.slice(0, -1) } }
        return undefined
      })
    }),
    { numRuns: 150 },
  )
  t.ok(changed > 50, 'many were changed')
})
