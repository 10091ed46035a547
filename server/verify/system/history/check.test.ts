import t from 'tap'
import type { Answer, Call, Request, Shown } from './call.ts'
import { checkHistory } from './check.ts'

/** Histories that are refused, each beside the same one without its lie. */
const token = (mark: string, createdAt: string, a = ''): Shown => ({
  id: mark,
  mark,
  createdAt,
  fields: { a, b: '', group: 'g' },
})
let at = 0
const call = (request: Request, answer?: Answer): Call => ({
  client: 'c',
  from: ++at,
  request,
  ...(answer && { to: ++at, answer }),
})
const create = (shown: Shown, value?: string) =>
  call({ do: 'create', mark: shown.mark, group: 'g', ...(value && { value }) }, made(shown))
const made = (shown: Shown): Answer => ({ is: 'token', token: shown, isNew: true })
const shows = (shown: Shown): Answer => ({ is: 'token', token: shown, isNew: false })
const read = (answer: Answer) => call({ do: 'read', id: 'x' }, answer)
const list = (...tokens: Shown[]) =>
  call({ do: 'page' }, { is: 'page', tokens, total: tokens.length, isLast: true })
const remove = () => call({ do: 'delete', id: 'x' }, { is: 'done' })
const update = (answer?: Answer) => call({ do: 'update', id: 'x', field: 'a', text: 't' }, answer)
const absent: Answer = { is: 'absent' }

const [x, y, changed] = [token('x', '1'), token('y', '2'), token('x', '1', 't')]
const noOrder = /no order of the requests explains/

const rows: readonly (readonly [name: string, honest: Call[], lie: Call[], says: RegExp])[] = [
  ['a create is visible', [create(x), read(shows(x)), list(x)], [create(x), read(absent)], noOrder],
  ['in lists, too', [create(x), list(x)], [create(x), list()], noOrder],
  [
    'a read shows the last update',
    [create(x), update(shows(changed)), read(shows(changed))],
    [create(x), update(shows(changed)), read(shows(x))],
    noOrder,
  ],
  [
    'an update without a response happens once',
    [create(x), update(), read(shows(x)), read(shows(changed))],
    [create(x), update(), read(shows(changed)), read(shows(x))],
    noOrder,
  ],
  [
    'what was deleted does not come back',
    [create(x), remove(), read(absent)],
    [create(x), remove(), read(shows(x))],
    noOrder,
  ],
  [
    'a deduplicated value has one token',
    [create(x, 'v'), call({ do: 'create', mark: 'y', group: 'g', value: 'v' }, shows(x))],
    [create(x, 'v'), create(y, 'v')],
    noOrder,
  ],
  [
    'lists are in order',
    [create(x), create(y), list(y, x)],
    [create(x), create(y), list(x, y)],
    /which is not newer/,
  ],
  [
    'a later create has a later time',
    [create(x), create(y)],
    [create(x), create(token('y', '1'))],
    /its time is not later/,
  ],
  ['every token was sent', [create(x), list(x)], [create(x), list(y, x)], /y was never sent/],
]

for (const [name, honest, lie, says] of rows)
  t.test(name, async t => {
    t.same(checkHistory(honest), [])
    t.match(checkHistory(lie).join('\n'), says)
  })
