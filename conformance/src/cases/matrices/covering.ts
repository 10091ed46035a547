import { cases, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import type { Call, Reply } from '../../harness/target.ts'
import { allTokenPermissions, times } from '../values.ts'

/** Containers of tokens, below that of the case. */
const tokens: readonly (readonly string[])[] = [
  ['a/'],
  ['a/b/'],
  ['a/b/c/'],
  ['ab/'],
  ['d/'],
  ['A/B/'],
  ['a/', 'd/'],
  ['a/b/', 'd/e/'],
  ['a/b/', 'a/c/'],
  ['d/', 'd/f/', 'a/'],
]

/** A container, or conditions, such as `equals a/ & starts_with a/b/`. `is 6` names a token by its number. */
const ruleSets: Readonly<Record<string, readonly string[]>> = {
  container: ['a/'],
  'other-case': ['A/B/'],
  'two-containers': ['a/', 'd/'],
  'one-of-three': ['d/'],
  'one-of-several': ['a/b/'],
  root: ['equals /'],
  'three-containers': ['a/b/', 'd/', 'a/c/'],
  equals: ['equals a/b/'],
  'equals-and-container': ['equals a/', 'd/'],
  'inner-in-outer': ['starts_with a/b/ & starts_with a/'],
  'outer-round-inner': ['starts_with a/ & starts_with a/b/'],
  'equal-within': ['equals a/b/ & starts_with a/'],
  'within-equal': ['starts_with a/ & equals a/b/'],
  'equal-outside': ['equals a/ & starts_with a/b/'],
  'both-equal': ['equals a/ & equals A/'],
  'same-start': ['starts_with a/ & equals a/'],
  'same-start-turned': ['equals a/ & starts_with a/'],
  apart: ['equals a/ & equals d/'],
  'starts-apart': ['starts_with d/ & starts_with a/b/'],
  id: ['is 6'],
  'id-twice': ['is 6 & is 6'],
  'all-and-id': ['a/', 'is 1 & starts_with a/'],
  'id-and-container': ['is 1 & starts_with a/'],
  'ids-and-container': ['is 0', 'is 4', 'ab/'],
  'two-ids': ['is 1 & is 2'],
}

/** Returns the operators and values of a rule's conditions, or undefined if it is a container. */
const conditionsOf = (rule: string) =>
  rule.includes(' ') ? rule.split(' & ').map(one => one.split(' ') as [string, string]) : undefined

/** A path that begins with a slash is not below the container of the case. */
const below = (root: string, path: string) => (path.startsWith('/') ? path : root + path)

const covers = (rule: string, number: number, container: string): boolean => {
  const lower = container.toLowerCase()
  return (conditionsOf(rule) ?? [['starts_with', rule] as [string, string]]).every(([operator, value]) =>
    operator === 'is'
      ? value === String(number)
      : operator === 'equals'
        ? lower === value.toLowerCase()
        : lower.startsWith(value.toLowerCase()),
  )
}

interface Covered {
  readonly root: string
  readonly ids: readonly string[]
}

const made = (c: Context): Promise<Covered> =>
  c.shared('tokens in many containers', async s => {
    const ids: string[] = []
    for (const paths of tokens)
      ids.push((await s.token({ containers: paths.map(path => s.container + path) })).id)
    return { root: s.container, ids }
  })

const ruleOf = (rule: string, index: number, { root, ids }: Covered) => {
  const conditions = conditionsOf(rule)?.map(([operator, value]) =>
    operator === 'is'
      ? { attribute: 'id', operator: 'equals', value: ids[Number(value)] }
      : { attribute: 'container', operator, value: below(root, value) },
  )
  return {
    priority: index + 1,
    transform: 'mask',
    permissions: ['token:read', 'token:search'],
    ...(conditions ? { conditions } : { container: below(root, rule) }),
  }
}

const coveringCells = Object.entries(ruleSets).map(
  ([name, rules], cell): Row => [
    `ACC-534.${name} [applications]: reads, lists and searches show exactly the tokens that rules cover: ${name.replaceAll('-', ' ')}`,
    async c => {
      const shared = await made(c)
      const { ids } = shared
      const { call } = await c.application({ rules: rules.map((rule, index) => ruleOf(rule, index, shared)) })
      const isCovered = (number: number) =>
        tokens[number]?.every(path => rules.some(rule => covers(rule, number, path)))
      const expected = ids.filter((_, number) => isCovered(number)).sort()
      const shown = async (
        page: Promise<{ body: { data: readonly { id: string }[]; pagination: object } }>,
      ) => {
        const { data, pagination } = (await page).body
        c.matches(pagination, { total_items: expected.length }, 'pagination')
        return data.map(({ id }) => id).sort()
      }
      const list = call('GET', '/tokens?size=100').then(reply => c.success(reply, 200))
      c.equal(await shown(list), expected, 'the list')
      const search = call('POST', '/tokens/search', { size: 100 }).then(reply => c.success(reply, 200))
      c.equal(await shown(search), expected, 'the search')
      for (const [number, id] of ids.entries()) {
        // Each cell reads some of them; lists and searches have shown all.
        if ((number + cell) % 3 !== 0) continue
        const reply = await call('GET', `/tokens/${id}`)
        if (isCovered(number)) c.success(reply, 200, `reading ${tokens[number]}`)
        else c.refused(reply, 403, `reading ${tokens[number]}`)
      }
    },
  ],
)

/** Tokens in as many containers as there may be, of which the rules cover all, or all but one. */
const manyCell = cases({
  'ACC-534.ten-containers [applications]: a token in ten containers is listed if rules cover each of them, and not if one is left out':
    async c => {
      const covered = times(10, index => `${c.container}${index % 2 === 0 ? 'a' : 'b'}/${index}/`)
      const sets = [covered, ...covered.map((_, index) => covered.with(index, `${c.container}c/`))]
      const payload = sets.map(containers => ({ type: 'token', data: 1, containers }))
      const made = c.success(await c.asPrivate('POST', '/tokenize', payload), 200, 'the tokens').body
      const rules = ['a/', 'b/'].map((path, index) => ({
        priority: index + 1,
        container: c.container + path,
        transform: 'mask',
        permissions: ['token:read'],
      }))
      const { call } = await c.application({ rules })
      c.equal(c.ids(await c.get('/tokens', call)), [made[0].id], 'the list')
    },
})

const transforms = ['redact', 'mask', 'reveal'] as const
const strictestCells = transforms.flatMap((first, index) =>
  transforms.slice(index + 1).flatMap(second =>
    [
      [first, second],
      [second, first],
    ].map(
      (pair): Row => [
        `ACC-505.${pair[0]}-then-${pair[1]} [applications]: a token in two containers, of which one is under ${pair[0]} and the next under ${pair[1]}, is shown under ${first}`,
        async c => {
          const containers = ['a/', 'b/'].map(path => c.container + path)
          const { id } = await c.token({ containers, mask: 'masked' })
          const permissions = ['token:read', 'token:search']
          const { call } = await c.application({
            rules: containers.map((container, priority) => ({
              priority: priority + 1,
              container,
              transform: pair[priority],
              permissions,
            })),
          })
          const expected = first === 'mask' ? 'masked' : undefined
          c.equal((await c.read(id, call)).data, expected, 'data of a read')
          const { data } = await c.get('/tokens', call)
          c.equal(data[0]?.data, expected, 'data of a list')
        },
      ],
    ),
  ),
)

/** Operations on one token by a caller that holds all permissions, elsewhere. */
const elsewhere: Readonly<Record<string, (c: Context, call: Call, id: string) => Promise<Reply>>> = {
  get: (_c, call, id) => call('GET', `/tokens/${id}`),
  update: (_c, call, id) => call('PATCH', `/tokens/${id}`, { metadata: { a: 'b' } }),
  delete: (_c, call, id) => call('DELETE', `/tokens/${id}`),
  detokenize: (_c, call, id) => call('POST', '/detokenize', `{{ ${id} }}`),
  tokenize: (c, call) => call('POST', '/tokenize', { type: 'token', data: 1, containers: [c.container] }),
  create: (c, call) => call('POST', '/tokens', { type: 'token', data: 1, containers: [c.container] }),
}
const elsewhereCells = Object.entries(elsewhere).map(
  ([name, send]): Row => [
    `ACC-502.elsewhere-${name} [applications]: a caller whose rule covers another container is refused: ${name}`,
    async c => {
      const { id } = await c.token()
      const other = await c.ruled('reveal', allTokenPermissions, `${c.container}below/`)
      c.refused(await send(c, other.call, id), 403, 'with a rule on another container')
      c.equal((await c.read(id)).metadata ?? {}, {}, 'metadata of the token')
      const own = await c.ruled('reveal', allTokenPermissions)
      c.success(await send(c, own.call, id), undefined, 'with a rule on its container')
    },
  ],
)

/** Tokens that rules cover, and the transform under which they are shown. */
export const coveringCases = cases([...coveringCells, ...manyCell, ...strictestCells, ...elsewhereCells])
