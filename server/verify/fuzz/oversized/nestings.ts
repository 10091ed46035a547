import type { Oversized } from './shape.ts'

const depths = [65, 1000, 20_000, 500_000]
const bodies = [
  'tokens.create',
  'tokens.search',
  'tokenize',
  'detokenize',
  'reactors.react',
  'applications.create',
  'sessions.authorize',
  'reactorFormulas.create',
]

/** Deeply nested JSON, complete or not. */
export const nestings: readonly Oversized[] = bodies.flatMap(operation => [
  nesting(operation, 'opened lists', depth => '['.repeat(depth * 2)),
  nesting(operation, 'lists', depth => `{"data":${'['.repeat(depth)}${']'.repeat(depth)},"type":"token"}`),
  nesting(
    operation,
    'objects',
    depth => `{"type":"token","data":${'{"a":'.repeat(depth / 5)}1${'}'.repeat(depth / 5)}}`,
  ),
  nesting(operation, 'opened objects', depth => '{"a":'.repeat(depth / 5)),
  nesting(operation, 'closed lists', depth => ']'.repeat(depth)),
  nesting(operation, 'blanks', depth => `${' \n\t\r'.repeat(depth / 4)}1`),
  nesting(operation, 'digits', depth => `{"data":${'9'.repeat(depth)}}`),
  nesting(operation, 'escapes', depth => `{"data":"${'\\u0061'.repeat(depth / 6)}"}`),
  nesting(operation, 'an open text', depth => `"${'\\\\'.repeat(depth / 2)}`),
])

function nesting(operation: string, what: string, body: (depth: number) => string): Oversized {
  return { title: `a body of ${what}`, operation, make: dice => ({ body: body(dice.pick(depths)) }) }
}
