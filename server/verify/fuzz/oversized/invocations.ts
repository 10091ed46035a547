import { keys } from '../callers.ts'
import { filled, json, list, mebibyte, members, type Oversized } from './shape.ts'

const code = (what: string, make: (size: number) => string): Oversized => ({
  title: `code of ${what}`,
  operation: 'reactors.react',
  make: dice => ({
    prelude: [
      {
        method: 'POST',
        target: '/reactor-formulas',
        headers: [
          ['SVC-API-KEY', keys.management],
          ['Content-Type', 'application/json'],
        ],
        body: json({ name: 'F', type: 'private', code: make(dice.pick([1_000, 49_000])) }),
      },
      {
        method: 'POST',
        target: '/reactors',
        headers: [
          ['SVC-API-KEY', keys.management],
          ['Content-Type', 'application/json'],
        ],
        body: json({ name: 'R', formula: { id: '@@0.id@@' }, configuration: {} }),
      },
    ],
    target: '/reactors/@@1.id@@/react',
    body: '{"args":{}}',
    byFormula: true,
  }),
})

export const codes: readonly Oversized[] = [
  code('parentheses', size => `${'('.repeat(size / 2)}1${')'.repeat(size / 2)}`),
  code('open brackets', size => '['.repeat(size)),
  code('templates', size => '`${'.repeat(size / 3)),
  code('arrows', size => `module.exports = ${'a=>'.repeat(size / 3 - 20)}a`),
  code('slashes', size => `x = 1 ${'/a'.repeat(size / 2 - 10)}`),
  code('comments', size => '/*'.repeat(size / 2)),
  code('imports', size => `module.exports = async () => { ${'import("a");'.repeat(size / 12 - 10)} }`),
  code('a long name', size => `module.exports = async () => ({ raw: ${'a'.repeat(size - 100)} })`),
]

/** Arguments up to the limit of an invocation, which is five times that of other bodies. */
export const invocations: readonly Oversized[] = [
  invocation('items', () => json({ args: { a: list(500_000, index => index) } })),
  invocation('members', () => json({ args: members(300_000, () => 1) })),
  invocation('text', () => json({ args: { a: filled('x', 5 * mebibyte - 100) } })),
  invocation('braces', () => json({ args: { a: filled('{{', 5 * mebibyte - 100) } })),
  invocation('references', () => json({ args: { a: list(5_000, index => `{{ id-${index} }}`) } })),
  invocation('references within an object', () =>
    json({ args: members(5_000, index => `{{ id-${index % 100} }}`) }),
  ),
  invocation('opened lists', () => '['.repeat(5 * mebibyte - 100)),
  invocation('more bytes than allowed', () => json({ args: filled('x', 6 * mebibyte) })),
]

function invocation(what: string, body: () => string): Oversized {
  return {
    title: `an invocation with many ${what}`,
    operation: 'reactors.react',
    make: dice => ({
      target: `/reactors/@@reactor.${dice.int(0, 2)}@@/react`,
      body: body(),
      byFormula: true,
    }),
  }
}
