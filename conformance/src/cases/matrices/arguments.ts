import { cases } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'

/** Parameters that may all be left out, one of them in an object. */
const parameters = [
  ...(['string', 'number', 'boolean'] as const).map(type => ({ name: type, type, optional: true })),
  { name: 'in.deep', type: 'string', optional: true },
]
const declaring = (c: Context) =>
  c.shared('formula with parameters', s => s.reactor({ request_parameters: parameters }))
const free = (c: Context) => c.shared('formula without parameters', s => s.reactor())

/** Arguments, and what the formula gets; nothing if they are refused. */
const cast: readonly (readonly [args: unknown, got?: unknown])[] = [
  [{ string: true }, { string: 'true' }],
  [{ string: false }, { string: 'false' }],
  [{ string: 1.5 }, { string: '1.5' }],
  [{ string: [1] }],
  [{ string: {} }],
  [{ number: '-1.5e2' }, { number: -150 }],
  [{ number: '9007199254740993' }],
  [{ number: '1e400' }],
  [{ number: '01' }],
  [{ number: ' 1' }],
  [{ number: true }],
  [{ boolean: 'FALSE' }, { boolean: false }],
  [{ boolean: 'True' }, { boolean: true }],
  [{ boolean: 'no' }],
  [{ boolean: 0 }],
  [{ string: null, number: null }, {}],
  [{ in: { deep: 'x', other: 1 } }, { in: { deep: 'x' } }],
  [{ 'in.deep': 'x' }, { 'in.deep': 'x' }],
  [{ in: { deep: null } }, { in: {} }],
  [{ in: null }, {}],
  [{ in: 'text' }, {}],
  [{ in: [{ deep: 'x' }] }, {}],
]

/** Data of a token that is the whole of the arguments, and if a formula without parameters gets it, or one with some. */
const whole: readonly (readonly [data: unknown, free: boolean, declaring: boolean])[] = [
  [{ string: 'x' }, true, true],
  [[1, 'a'], true, false],
  [5, false, false],
  ['text', false, false],
]

/** Arguments of formulas. */
export const argumentCases = cases({
  'INV-543.casts [management]: arguments are cast, pruned or refused by the types of the parameters, null as if it were left out':
    async c => {
      const reactor = await declaring(c)
      for (const [args, got] of cast) {
        const reply = await c.react(reactor, { args })
        const what = JSON.stringify(args)
        if (got === undefined) c.refused(reply, 400, what)
        else c.equal(c.success(reply, 200, what).body?.raw, got, what)
      }
    },
  'INV-504.whole [management]: one expression in place of all arguments is replaced by an object, or by a list if no parameters are declared':
    async c => {
      const reactors = [await free(c), await declaring(c)]
      for (const [data, ...accepted] of whole) {
        const { id } = await c.token({ data })
        for (const [index, reactor] of reactors.entries()) {
          const reply = await c.react(reactor, { args: `{{ ${id} }}` })
          const what = `${JSON.stringify(data)}, ${index === 0 ? 'without' : 'with'} parameters`
          if (accepted[index]) c.equal(c.success(reply, 200, what).body?.raw, data, what)
          else c.refused(reply, 400, what)
        }
      }
    },
})
