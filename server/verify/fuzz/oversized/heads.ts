import { keys } from '../callers.ts'
import type { Dice } from '../dice.ts'
import { filled, list, type Oversized } from './shape.ts'

/** The maximum length of a head. */
const headBytes = 15_000

const targets: readonly (readonly [
  operation: string,
  what: string,
  target: (dice: Dice) => string,
  key: string,
])[] = [
  ['tokens.list', 'ids', () => `/tokens?${filled('id=abc&', headBytes)}`, keys.private],
  ['tokens.list', 'types', () => `/tokens?${filled('type=card&', headBytes)}`, keys.private],
  [
    'tokens.list',
    'metadata',
    () => `/tokens?${list(700, index => `metadata.k${index}=v`).join('&')}`,
    keys.private,
  ],
  ['tokens.list', 'unknown parameters', () => `/tokens?${filled('a&', headBytes)}`, keys.private],
  ['tokens.list', 'escapes', () => `/tokens?id=${filled('%F0%9F%99%82', headBytes - 100)}`, keys.private],
  ['tokens.list', 'broken escapes', () => `/tokens?${filled('%', headBytes)}`, keys.private],
  ['tokens.list', 'a distant page', () => '/tokens?page=999999999999999&size=100', keys.private],
  [
    'tokens.get',
    'a long id',
    dice => `/tokens/${filled(dice.pick(['a', '%7B', '%F0%9F%99%82', '%00', '..%2f']), headBytes)}`,
    keys.private,
  ],
  ['tokens.get', 'a path of many segments', () => filled('/tokens', headBytes), keys.private],
  ['tokens.get', 'a path of slashes', () => filled('/', headBytes), keys.private],
  [
    'reactors.list',
    'ids',
    () => `/reactors?${list(350, () => 'id=3a1f6c52-9d0b-4c1e-8f57-6a2b9d4e0c11').join('&')}`,
    keys.management,
  ],
  [
    'reactorFormulas.list',
    'stars in a name',
    dice =>
      `/reactor-formulas?name=${filled(dice.pick(['*a', '*', 'F*', '*%2a', '*F*o*r*m*u*l*a*']), headBytes - 100)}z`,
    keys.management,
  ],
  [
    'reactors.list',
    'stars in a name',
    () => `/reactors?name=${filled('*e', headBytes - 100)}z`,
    keys.management,
  ],
  ['logs.list', 'an entity id', () => `/logs?entity_id=${filled('a', headBytes - 100)}`, keys.management],
  [
    'logs.list',
    'a date',
    dice => `/logs?from=${filled(dice.pick(['0', '1-', '2030-01-01T', '.']), headBytes - 100)}`,
    keys.management,
  ],
]

export const heads: readonly Oversized[] = targets.map(([operation, what, target, key]) => ({
  title: `a target of ${what}`,
  operation,
  make: dice => ({ target: target(dice), key }),
}))
