import type { Context } from '../../harness/context.ts'
import type { Reply } from '../../harness/target.ts'
import { times, valuesByType } from '../values.ts'
import { type Cell, matrix } from './cell.ts'

const searchable = ['token', 'social_security_number', 'employer_id_number']

const entries = (count: number) => Object.fromEntries(times(count, index => [`k${index}`, 'v']))
/** An expression of this length that evaluates to this text. */
const expression = (length: number, text: string) => `{{ '${text}'${' '.repeat(length - text.length - 7)}}}`

type Members = (c: Context) => object

/** All members at their limits at once. */
const atLimits: Members = c => ({
  metadata: { ...entries(49), ['k'.repeat(100)]: 'v'.repeat(1000) },
  containers: [
    `${c.container}${'a'.repeat(249 - c.container.length)}/`,
    `${c.container}${'a/'.repeat(15)}`,
    ...times(8, index => `${c.container}${index}/`),
  ],
  fingerprint_expression: expression(10_000, c.tag),
  mask: expression(10_000, 'x'),
  deduplicate_token: false,
  expires_at: '2099-01-01T00:00:00Z',
})

/** One member beyond its limit. */
const beyondLimits: Readonly<Record<string, Members>> = {
  'metadata-entries': () => ({ metadata: entries(51) }),
  'metadata-key': () => ({ metadata: { ['k'.repeat(101)]: 'v' } }),
  'metadata-empty-key': () => ({ metadata: { '': 'v' } }),
  'metadata-value': () => ({ metadata: { k: 'v'.repeat(1001) } }),
  'metadata-number': () => ({ metadata: { k: 1 } }),
  containers: c => ({ containers: times(11, index => `${c.container}${index}/`) }),
  'no-container': () => ({ containers: [] }),
  'container-length': c => ({ containers: [`${c.container}${'a'.repeat(250 - c.container.length)}/`] }),
  'container-form': c => ({ containers: [c.container.slice(1)] }),
  'container-levels': c => ({ containers: [`${c.container}${'a/'.repeat(16)}`] }),
  'fingerprint-expression': c => ({ fingerprint_expression: expression(10_001, c.tag) }),
  mask: () => ({ mask: expression(10_001, 'x') }),
  deduplicate: () => ({ deduplicate_token: 'no' }),
  expiry: () => ({ expires_at: '2099-02-30T00:00:00Z' }),
}
const indexesAtLimits: Members = () => ({
  search_indexes: [expression(10_000, 'x'), ...times(9, index => `{{ data }}${index}`)],
})
const indexesBeyond: Readonly<Record<string, Members>> = {
  indexes: () => ({ search_indexes: times(11, index => `{{ data }}${index}`) }),
  index: () => ({ search_indexes: [expression(10_001, 'x')] }),
}
const idsAtLimits: Readonly<Record<string, Members>> = {
  'long-id': c => ({ id: c.tag.padEnd(400, 'x') }),
  'short-id': c => ({ id: c.tag.slice(-3) }),
  'id-expression': c => ({ id: expression(10_000, c.tag) }),
}
const idsBeyond: Readonly<Record<string, Members>> = {
  'long-id': c => ({ id: c.tag.padEnd(401, 'x') }),
  'short-id': c => ({ id: c.tag.slice(-2) }),
  'id-expression': c => ({ id: expression(10_001, c.tag) }),
}

const isSearchable = (type: string) => searchable.includes(type)
const bodyOf = (c: Context, type: string, members: object) => ({
  type,
  data: valuesByType[type],
  containers: [c.container],
  ...members,
})

/** How tokens are made: alone, or deep in a payload behind others. */
const creators: Readonly<Record<string, (c: Context, type: string, members: object) => Promise<Reply>>> = {
  create: (c, type, members) => c.asPrivate('POST', '/tokens', bodyOf(c, type, members)),
  tokenize: (c, type, members) => {
    const payload = { a: bodyOf(c, type, {}), b: { deep: [bodyOf(c, type, members)] } }
    return c.asPrivate('POST', '/tokenize', payload)
  },
}

const createCells = Object.entries(creators).flatMap(([operation, send]) =>
  Object.keys(valuesByType).flatMap((type): Cell[] => {
    const accepted = Object.entries({
      ...idsAtLimits,
      all: (c: Context) => ({ ...atLimits(c), ...(isSearchable(type) ? indexesAtLimits(c) : {}) }),
    })
    const refused = Object.entries({
      ...beyondLimits,
      ...idsBeyond,
      ...(isSearchable(type) ? indexesBeyond : {}),
    })
    return [
      ...accepted.map(([name, members]) => ({
        requirement: 'TOK-541',
        name: `${operation}-${type}-at-${name}`,
        title: `${operation} of a ${type} accepts members at their limits: ${name}`,
        async run(c: Context) {
          const { body } = c.success(await send(c, type, members(c)))
          c.equal((operation === 'create' ? body : body?.b?.deep?.[0])?.type, type, 'type of the token')
        },
      })),
      ...refused.map(([name, members]) => ({
        requirement: 'TOK-541',
        name: `${operation}-${type}-${name}`,
        title: `${operation} of a ${type} refuses a member beyond its limit: ${name}`,
        run: async (c: Context) => void c.refused(await send(c, type, members(c)), 400),
      })),
    ]
  }),
)

const patched = async (c: Context, members: object) => {
  const { id } = await c.shared('patched at limits', s => s.token())
  return c.asPrivate('PATCH', `/tokens/${id}`, members)
}
const updateCells: Cell[] = [
  {
    requirement: 'TOK-542',
    name: 'at-all',
    title: 'an update accepts members at their limits',
    async run(c) {
      const { id } = await c.token()
      c.success(await c.asPrivate('PATCH', `/tokens/${id}`, { ...atLimits(c), ...indexesAtLimits(c) }))
    },
  },
  ...Object.entries({ ...beyondLimits, ...indexesBeyond }).map(([name, members]) => ({
    requirement: 'TOK-542',
    name,
    title: `an update refuses a member beyond its limit: ${name}`,
    run: async (c: Context) => void c.refused(await patched(c, members(c)), 400),
  })),
]

/** A resource with limits, where it is made and where it is changed. */
interface Resource {
  readonly path: string
  readonly methods: readonly string[]
  readonly at: object
  readonly beyond: Readonly<Record<string, object>>
  valid(s: Context): Promise<object>
}

const definitions = (count: number) => times(count, index => ({ name: `n${index}`, type: 'string' }))
const defined = (field: string, length: number) => [
  { name: 'n', type: 'string', [field]: 'x'.repeat(length) },
]
const icon = (length: number) => 'data:image/png;base64,'.padEnd(length, 'A')
const names = { name: { name: 'n'.repeat(201) }, 'empty-name': { name: '' } }

const resources: Readonly<Record<string, Resource>> = {
  formula: {
    path: '/reactor-formulas',
    methods: ['POST', 'PUT'],
    valid: async s => ({ name: s.tag, type: 'private', code: '' }),
    at: {
      name: 'n'.repeat(200),
      description: 'd'.repeat(1000),
      code: 'é'.repeat(25_000),
      icon: icon(49_998),
      configuration: [...definitions(24), ...defined('description', 1000)],
      request_parameters: [...definitions(24), ...defined('description', 1000)],
    },
    beyond: {
      ...names,
      description: { description: 'd'.repeat(1001) },
      code: { code: `${'é'.repeat(25_000)}e` },
      icon: { icon: icon(50_002) },
      configuration: { configuration: definitions(26) },
      'request-parameters': { request_parameters: definitions(26) },
      'configuration-name': { configuration: defined('name', 201) },
      'configuration-description': { configuration: defined('description', 1001) },
      'parameter-name': { request_parameters: defined('name', 201) },
      'parameter-description': { request_parameters: defined('description', 1001) },
    },
  },
  reactor: {
    path: '/reactors',
    methods: ['POST', 'PUT', 'PATCH'],
    valid: async s => ({ name: s.tag, configuration: {}, formula: { id: (await s.formula()).id } }),
    at: { name: 'n'.repeat(200) },
    beyond: names,
  },
  application: {
    path: '/applications',
    methods: ['POST', 'PUT'],
    valid: async s => ({ name: s.tag, type: 'private', permissions: ['token:read'] }),
    at: { name: 'n'.repeat(200) },
    beyond: names,
  },
}

const resourceCells = Object.entries(resources).flatMap(([resource, { path, valid, methods, at, beyond }]) =>
  methods.flatMap(method => {
    const send = async (c: Context, members: object) => {
      const { body, id } = await c.shared(`bounded ${resource}`, async s => {
        const one = await valid(s)
        return { body: one, id: s.success(await s.asManagement('POST', path, one), 201).body.id as string }
      })
      const to = method === 'POST' ? path : `${path}/${id}`
      return c.asManagement(method, to, method === 'PATCH' ? members : { ...body, ...members })
    }
    const cell = (name: string, title: string, run: Cell['run']): Cell => ({
      requirement: 'WIR-540',
      name: `${method.toLowerCase()}-${resource}-${name}`,
      title: `${method} of a ${resource} ${title}`,
      needs: [resource === 'application' ? 'applications' : 'management'],
      run,
    })
    return [
      cell('at-all', 'accepts members at their limits', async c => void c.success(await send(c, at))),
      ...Object.entries(beyond).map(([name, members]) =>
        cell(name, `refuses a member beyond its limit: ${name}`, async c => {
          c.refused(await send(c, members), 400)
        }),
      ),
    ]
  }),
)

/** Each limit of length and number, at the limit and one beyond it, by each operation and type. */
export const limitCases = matrix([...createCells, ...updateCells, ...resourceCells])
