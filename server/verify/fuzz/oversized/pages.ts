import { keys } from '../callers.ts'
import type { FuzzRequest } from '../case.ts'
import type { Dice } from '../dice.ts'
import { filled, json, list, type Oversized, token } from './shape.ts'

/** Creates large tokens in a separate tenant, so that lists of other tokens stay fast. */
const largeTokens = (dice: Dice): FuzzRequest[] =>
  list(dice.int(2, 24), () => ({
    method: 'POST',
    target: '/tokens',
    headers: [
      ['SVC-API-KEY', keys.other],
      ['Content-Type', 'application/json'],
    ],
    body: token({ data: filled('x', 900_000), mask: '{{ data }}' }),
  }))

/** Creates tokens that are all in different sets of containers. */
const manySets = (dice: Dice): FuzzRequest[] =>
  list(dice.int(1, 8), () => ({
    method: 'POST',
    target: '/tokenize',
    headers: [
      ['SVC-API-KEY', keys.private],
      ['Content-Type', 'application/json'],
    ],
    body: json(
      list(100, () => ({
        type: 'token',
        data: 1,
        containers: list(10, index => `${index === 0 ? '/restricted' : ''}/set${dice.int(0, 1e6)}/`),
      })),
    ),
  }))

/** These shapes take long to prepare, so they are rare. */
export const largePages: readonly Oversized[] = [
  {
    title: 'a page of large tokens',
    operation: 'tokens.list',
    make: dice => ({ key: keys.other, prelude: largeTokens(dice), target: '/tokens?size=100' }),
  },
  {
    title: 'a search of large tokens',
    operation: 'tokens.search',
    make: dice => ({ key: keys.other, prelude: largeTokens(dice), body: json({ size: 100 }) }),
  },
  {
    title: 'a list of tokens in many sets of containers',
    operation: 'tokens.list',
    make: dice => ({ key: keys.restricted, prelude: manySets(dice), target: '/tokens?size=100' }),
  },
  {
    title: 'a search of tokens in many sets of containers',
    operation: 'tokens.search',
    make: dice => ({
      key: keys.restricted,
      prelude: manySets(dice),
      body: json({ query: 'type:token', size: 100 }),
    }),
  },
]
