import type { Loose } from '../json-text.ts'
import { filled, json, list, members, type Oversized, token } from './shape.ts'

const badRule = (index: number): Loose => ({
  priority: index,
  transform: 'nonsense',
  permissions: ['nonsense'],
  container: 'nonsense',
  conditions: [{}],
})

/** Bodies with very many members or items, valid or not. */
export const lists: readonly Oversized[] = [
  many('tokens.create', 'containers', 60_000, count =>
    token({ containers: list(count, index => `/c${index}/`) }),
  ),
  many('tokens.create', 'bad containers', 60_000, count =>
    token({ containers: list(count, index => `c${index}`) }),
  ),
  many('tokens.create', 'deep containers', 10, count =>
    token({ containers: list(count, index => `/${index}/${'a/'.repeat(50_000)}`) }),
  ),
  many('tokens.create', 'metadata', 60_000, count => token({ metadata: members(count, () => 'v') })),
  many('tokens.create', 'bad metadata', 60_000, count => token({ metadata: members(count, () => 1) })),
  many('tokens.create', 'search indexes', 40_000, count =>
    token({ search_indexes: list(count, () => '{{ data }}') }),
  ),
  many('tokens.create', 'bad search indexes', 60_000, count =>
    token({ search_indexes: list(count, index => index) }),
  ),
  many('tokens.create', 'unknown members', 60_000, count => token(members(count, index => index))),
  many('tokens.create', 'members of a card', 60_000, count =>
    json({ type: 'card', data: { number: '4242424242424242', ...members(count, () => 1) } }),
  ),
  many('tokens.create', 'members of data', 80_000, count => token({ data: members(count, index => index) })),
  many('tokens.create', 'items of data', 200_000, count => token({ data: list(count, index => index) })),
  many('tokens.create', 'expressions in a mask', 30_000, count =>
    token({ mask: list(count, () => '{{ data | stringify }}') }),
  ),
  many(
    'tokens.create',
    'equal names',
    100_000,
    count => `{"type":"token","data":{${'"a":1,'.repeat(count)}"a":1}}`,
  ),
  many('tokenize', 'values', 150_000, count => json(list(count, index => index))),
  many('tokenize', 'bad tokens', 20_000, count =>
    json(list(count, () => ({ type: 'nonsense', data: 1, containers: ['x'] }))),
  ),
  many('tokenize', 'cards', 100, count =>
    json(list(count, () => ({ type: 'card', data: { number: '4242424242424242' } }))),
  ),
  many('detokenize', 'references', 60_000, count => json(list(count, index => `{{ id-${index} }}`))),
  many('detokenize', 'equal references', 60_000, count => json(list(count, () => '{{ id-1 }}'))),
  many('detokenize', 'references in a text', 60_000, count => json(filled('{{ id-1 }} ', count * 15))),
  many('applications.create', 'bad rules', 9_000, count =>
    json({ name: 'A', type: 'private', rules: list(count, badRule) }),
  ),
  many('applications.create', 'rules', 7_000, count =>
    json({
      name: 'A',
      type: 'private',
      rules: list(count, index => ({
        priority: index + 1,
        container: `/r${index}/`,
        transform: 'mask',
        permissions: ['token:read'],
      })),
    }),
  ),
  many('applications.create', 'bad conditions', 30_000, count =>
    json({
      name: 'A',
      type: 'private',
      rules: [
        {
          priority: 1,
          transform: 'mask',
          permissions: ['token:read'],
          conditions: list(count, () => ({ attribute: 'x' })),
        },
      ],
    }),
  ),
  many('applications.create', 'permissions', 60_000, count =>
    json({ name: 'A', type: 'private', permissions: list(count, () => 'token:read') }),
  ),
  many('applications.create', 'bad permissions', 60_000, count =>
    json({ name: 'A', type: 'private', permissions: list(count, () => 'x') }),
  ),
  many('sessions.authorize', 'bad rules', 9_000, count => json({ nonce: 'x', rules: list(count, badRule) })),
  many('reactorFormulas.create', 'bad parameters', 20_000, count =>
    json({
      name: 'F',
      type: 'private',
      code: 'x',
      request_parameters: list(count, () => ({ name: '__proto__', type: 'x', optional: 1 })),
    }),
  ),
  many('reactorFormulas.create', 'settings', 20_000, count =>
    json({
      name: 'F',
      type: 'private',
      code: 'x',
      configuration: list(count, index => ({ name: `s${index}`, type: 'string' })),
    }),
  ),
  many('reactors.create', 'bad configuration', 60_000, count =>
    json({ name: 'R', formula: { id: '@@formula.0@@' }, configuration: members(count, () => ({})) }),
  ),
  many('reactors.create', 'configuration', 60_000, count =>
    json({ name: 'R', formula: { id: '@@formula.0@@' }, configuration: members(count, () => 'v') }),
  ),
]

function many(
  operation: string,
  what: string,
  mostItems: number,
  body: (count: number) => string,
): Oversized {
  return {
    title: `many ${what}`,
    operation,
    make: dice => ({
      body: body(dice.pick([Math.min(101, mostItems), Math.ceil(mostItems / 10), mostItems])),
    }),
  }
}
