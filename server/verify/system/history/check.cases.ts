import type { Answer, Call, Request, Shown } from './call.ts'

interface Hostile {
  readonly name: string
  readonly honest: readonly Call[]
  readonly lies: readonly (readonly [name: string, history: readonly Call[], says: RegExp])[]
}

const call = (from: number, to: number | undefined, request: Request, answer?: Answer): Call => ({
  client: 'c',
  from,
  request,
  ...(to === undefined ? {} : { to }),
  ...(answer && { answer }),
})

/** A token as it is after its create. Its id is its mark, unless one is given. */
const token = (mark: string, createdAt: string, id = mark, fields: Partial<Shown['fields']> = {}): Shown => ({
  id,
  mark,
  createdAt,
  fields: { a: '', b: '', group: 'g', ...fields },
})

const create = (mark: string, more: { readonly id?: string; readonly value?: string } = {}): Request => ({
  do: 'create',
  mark,
  group: 'g',
  ...more,
})
const isNew = (shown: Shown): Answer => ({ is: 'token', token: shown, isNew: true })
const shows = (shown: Shown): Answer => ({ is: 'token', token: shown, isNew: false })
const done: Answer = { is: 'done' }
const absent: Answer = { is: 'absent' }
const taken: Answer = { is: 'taken' }
const read = (id: string): Request => ({ do: 'read', id })
const remove = (id: string): Request => ({ do: 'delete', id })
const update = (id: string, field: 'a' | 'b' | 'group', text: string): Request => ({
  do: 'update',
  id,
  field,
  text,
})
const page = (tokens: readonly Shown[], total = tokens.length, isLast = true): Answer => ({
  is: 'page',
  tokens,
  total,
  isLast,
})
const list: Request = { do: 'page' }

const x = token('x', '1')
const y = token('y', '2')
const withA = token('x', '1', 'x', { a: 't' })
const created = call(1, 2, create('x'), isNew(x))
const bothCreated = [created, call(3, 4, create('y'), isNew(y))]
const deleted = [created, call(3, 4, remove('x'), done)]
const updated = [created, call(3, 4, update('x', 'a', 't'), shows(withA))]
const noOrder = /no order of the requests explains/

/** Histories with a lie, each beside the same one without it. */
export const hostile: readonly Hostile[] = [
  {
    name: 'an answered create is visible',
    honest: [created, call(3, 4, read('x'), shows(x)), call(5, 6, list, page([x]))],
    lies: [
      ['to a read', [created, call(3, 4, read('x'), absent)], noOrder],
      ['in a list', [created, call(3, 4, list, page([]))], noOrder],
      ['in a search', [created, call(3, 4, { do: 'page', group: 'g' }, page([]))], noOrder],
    ],
  },
  {
    name: 'a read shows the last answered update',
    honest: [...updated, call(5, 6, read('x'), shows(withA)), call(7, 8, list, page([withA]))],
    lies: [
      ['in a read', [...updated, call(5, 6, read('x'), shows(x))], noOrder],
      ['in a list', [...updated, call(5, 6, list, page([x]))], noOrder],
    ],
  },
  {
    name: 'during an update either state may be read, but the old one not after the new one',
    honest: [
      created,
      call(3, 9, update('x', 'a', 't'), shows(withA)),
      call(4, 5, read('x'), shows(x)),
      call(6, 7, read('x'), shows(withA)),
    ],
    lies: [
      [
        'back again',
        [
          created,
          call(3, 9, update('x', 'a', 't'), shows(withA)),
          call(4, 5, read('x'), shows(withA)),
          call(6, 7, read('x'), shows(x)),
        ],
        noOrder,
      ],
    ],
  },
  {
    name: 'an update without a response happens once, or not at all',
    honest: [
      created,
      call(3, undefined, update('x', 'a', 't')),
      call(4, 5, read('x'), shows(x)),
      call(6, 7, read('x'), shows(withA)),
    ],
    lies: [
      [
        'it is undone',
        [
          created,
          call(3, undefined, update('x', 'a', 't')),
          call(4, 5, read('x'), shows(withA)),
          call(6, 7, read('x'), shows(x)),
        ],
        noOrder,
      ],
    ],
  },
  {
    name: 'no update is lost to another one',
    honest: [...updated, call(5, 6, update('x', 'b', 'u'), shows(token('x', '1', 'x', { a: 't', b: 'u' })))],
    lies: [
      [
        'it is',
        [...updated, call(5, 6, update('x', 'b', 'u'), shows(token('x', '1', 'x', { b: 'u' })))],
        noOrder,
      ],
    ],
  },
  {
    name: 'what was deleted does not come back',
    honest: [...deleted, call(5, 6, read('x'), absent), call(7, 8, list, page([]))],
    lies: [
      ['in a read', [...deleted, call(5, 6, read('x'), shows(x))], noOrder],
      ['in a list', [...deleted, call(5, 6, list, page([x]))], noOrder],
      ['to be updated', [...deleted, call(5, 6, update('x', 'a', 't'), shows(withA))], noOrder],
      ['to be deleted', [...deleted, call(5, 6, remove('x'), done)], noOrder],
    ],
  },
  {
    name: 'what was seen deleted does not come back, if the delete had no response',
    honest: [
      created,
      call(3, undefined, remove('x')),
      call(4, 5, read('x'), shows(x)),
      call(6, 7, read('x'), absent),
    ],
    lies: [
      [
        'it does',
        [
          created,
          call(3, undefined, remove('x')),
          call(4, 5, read('x'), absent),
          call(6, 7, read('x'), shows(x)),
        ],
        noOrder,
      ],
    ],
  },
  {
    name: 'lists are strictly ordered, newest first',
    honest: [...bothCreated, call(5, 6, list, page([y, x]))],
    lies: [
      [
        'out of order',
        [...bothCreated, call(5, 6, list, page([x, y]))],
        /is listed after x, which is not newer/,
      ],
      ['twice', [...bothCreated, call(5, 6, list, page([y, x, x]))], /is listed after x, which is not newer/],
    ],
  },
  {
    name: 'the next page continues after the one before',
    honest: [
      ...bothCreated,
      call(5, 6, list, page([y], 2, false)),
      call(7, 8, { do: 'page', after: '2' }, page([x], 2)),
    ],
    lies: [
      [
        'with the same token',
        [...bothCreated, call(7, 8, { do: 'page', after: '2' }, page([y, x]))],
        /was on an earlier page/,
      ],
      [
        'without the next one',
        [...bothCreated, call(7, 8, { do: 'page', after: '2' }, page([], 2))],
        noOrder,
      ],
    ],
  },
  {
    name: 'with a token, a list has all older ones, even while they are created',
    honest: [
      call(1, undefined, create('x')),
      call(3, 4, create('y'), isNew(y)),
      call(5, 6, list, page([y, x])),
      call(7, 8, read('x'), shows(x)),
    ],
    lies: [
      [
        'the older one appears later',
        [
          call(1, undefined, create('x')),
          call(3, 4, create('y'), isNew(y)),
          call(5, 6, list, page([y])),
          call(7, 8, list, page([y, x])),
        ],
        noOrder,
      ],
    ],
  },
  {
    name: 'two creates at once of one deduplicated value make one token',
    honest: [
      call(1, 4, create('x', { value: 'v' }), isNew(x)),
      call(2, 3, create('y', { value: 'v' }), shows(x)),
    ],
    lies: [
      [
        'two',
        [
          call(1, 4, create('x', { value: 'v' }), isNew(x)),
          call(2, 3, create('y', { value: 'v' }), isNew(y)),
        ],
        noOrder,
      ],
      [
        'two in a list',
        [
          call(1, undefined, create('x', { value: 'v' })),
          call(2, undefined, create('y', { value: 'v' })),
          call(5, 6, list, page([y, x])),
        ],
        /cannot exist at once/,
      ],
    ],
  },
  {
    name: 'a value is free after its token was deleted, and not before',
    honest: [
      call(1, 2, create('x', { value: 'v' }), isNew(x)),
      call(3, 4, remove('x'), done),
      call(5, 6, create('y', { value: 'v' }), isNew(y)),
    ],
    lies: [
      [
        'the deleted one is found',
        [
          call(1, 2, create('x', { value: 'v' }), isNew(x)),
          call(3, 4, remove('x'), done),
          call(5, 6, create('y', { value: 'v' }), shows(x)),
        ],
        noOrder,
      ],
      [
        'a second one is made',
        [
          call(1, 2, create('x', { value: 'v' }), isNew(x)),
          call(5, 6, create('y', { value: 'v' }), isNew(y)),
        ],
        noOrder,
      ],
    ],
  },
  {
    name: 'of two creates at once with one id one succeeds',
    honest: [
      call(1, 4, create('x', { id: 'own' }), isNew(token('x', '1', 'own'))),
      call(2, 3, create('y', { id: 'own' }), taken),
    ],
    lies: [
      [
        'both',
        [
          call(1, 4, create('x', { id: 'own' }), isNew(token('x', '1', 'own'))),
          call(2, 3, create('y', { id: 'own' }), isNew(token('y', '2', 'own'))),
        ],
        noOrder,
      ],
      [
        'none',
        [call(1, 4, create('x', { id: 'own' }), taken), call(2, 3, create('y', { id: 'own' }), taken)],
        noOrder,
      ],
    ],
  },
  {
    name: 'a create that is repeated with its idempotency key makes one token',
    honest: [call(1, 2, create('x'), done), call(3, 4, list, page([x]))],
    lies: [
      [
        'none',
        [call(1, 2, create('x'), done), call(3, 4, list, page([])), call(5, 6, list, page([x]))],
        noOrder,
      ],
      [
        'two',
        [call(1, 2, create('x'), done), call(3, 4, list, page([token('x', '2', 'other'), x]))],
        /create x made two tokens/,
      ],
    ],
  },
  {
    name: 'a search shows what matches',
    honest: [
      created,
      call(3, 4, update('x', 'group', 'h'), shows(token('x', '1', 'x', { group: 'h' }))),
      call(5, 6, { do: 'page', group: 'h' }, page([token('x', '1', 'x', { group: 'h' })])),
      call(7, 8, { do: 'page', group: 'g' }, page([])),
    ],
    lies: [
      ['and nothing else', [created, call(5, 6, { do: 'page', group: 'h' }, page([x]))], /x does not match/],
      [
        'and not what matched before',
        [
          created,
          call(3, 4, update('x', 'group', 'h'), shows(token('x', '1', 'x', { group: 'h' }))),
          call(7, 8, { do: 'page', group: 'g' }, page([x])),
        ],
        noOrder,
      ],
    ],
  },
  {
    name: 'totals fit',
    honest: [...bothCreated, call(5, 6, list, page([y], 2, false))],
    lies: [
      [
        'one too many',
        [...bothCreated, call(5, 6, list, page([y], 3, false))],
        /total 3, but there were 2 to 2/,
      ],
      [
        'one too few',
        [...bothCreated, call(5, 6, list, page([y], 1, false))],
        /total 1, but there were 2 to 2/,
      ],
      [
        'not the number of tokens',
        [...bothCreated, call(5, 6, list, page([y, x], 3))],
        /total 3 of 2 tokens/,
      ],
    ],
  },
  {
    name: 'a later create has a later time',
    honest: bothCreated,
    lies: [
      ['the same', [created, call(3, 4, create('y'), isNew(token('y', '1')))], /its time is not later/],
      ['an earlier one', [created, call(3, 4, create('y'), isNew(token('y', '0')))], /its time is not later/],
    ],
  },
  {
    name: 'the time of a token stays',
    honest: [created, call(3, 4, read('x'), shows(x))],
    lies: [
      ['it changes', [created, call(3, 4, read('x'), shows(token('x', '2')))], /x has two times of creation/],
    ],
  },
  {
    name: 'every token was sent',
    honest: [created, call(3, 4, list, page([x]))],
    lies: [['one was not', [created, call(3, 4, list, page([y, x]))], /y was never sent/]],
  },
]
