import type { Context } from '../../harness/context.ts'
import { type TokenType, tokenTypes } from '../../harness/token-types.ts'
import { times } from '../values.ts'
import { type Body, expires, type Subject } from './subject.ts'

/** An expression of this length that evaluates to this text. */
const expression = (length: number, text: string) => `{{ '${text}'${' '.repeat(length - text.length - 7)}}}`

/** A text of three characters that no other case has at the same time. */
const shortId = (c: Context, index: number) => `${String.fromCharCode(97 + index)}${c.tag.slice(-2)}`
const containerOf = (c: Context, levels: number) =>
  c.container + 'a/'.repeat(levels - c.container.split('/').length + 2)

const expressionsAtLimits = (c: Context) => ({
  containers: [containerOf(c, 16)],
  fingerprint_expression: expression(10_000, c.tag),
  mask: expression(10_000, 'x'),
})
const beyondExpressions: NonNullable<Subject['refused']> = {
  'containers with 17 levels': c => ({ containers: [containerOf(c, 17)] }),
  'a long fingerprint_expression': c => ({ fingerprint_expression: expression(10_001, c.tag) }),
  'a long mask': () => ({ mask: expression(10_001, 'x') }),
  'deduplicate_token as text': () => ({ deduplicate_token: 'no' }),
  'a number in metadata': () => ({ metadata: { k: 1 } }),
}
const indexAtLimit = { search_indexes: [expression(10_000, 'x')] }
const beyondIndex = { 'a long search index': () => ({ search_indexes: [expression(10_001, 'x')] }) }

/** Returns valid data of a type, with all members that have limits. */
const dataOf = ({ type, examples: [{ data }] }: TokenType) =>
  type === 'card' ? { ...(data as object), cvc: '123' } : data

const tokenBody = async (c: Context, type: TokenType): Promise<Body> => ({
  type: type.type,
  id: `${c.tag}${crypto.randomUUID().slice(0, 8)}`,
  data: dataOf(type),
  mask: 'x',
  containers: [c.container],
  metadata: { k: 'v' },
  search_indexes: type.isSearchable ? ['{{ data }}'] : [],
  fingerprint_expression: c.tag,
  deduplicate_token: false,
  expires_at: expires,
})

/** How tokens are made: alone, or deep in a payload behind others. */
const creators: Readonly<Record<string, Subject['send']>> = {
  create: (c, body, call = c.asPrivate, options) => call('POST', '/tokens', body, options),
  tokenize: (c, body, call = c.asPrivate, options) =>
    call('POST', '/tokenize', { a: {}, b: { deep: [body] } }, options),
}

const creates = Object.entries(creators).flatMap(([operation, send], way) =>
  tokenTypes.map(
    (type, index): Subject => ({
      requirement: 'TOK-541',
      name: `${operation}-${type.type}`,
      title: `${operation} of a ${type.type}`,
      operation: 'tokens.create',
      needs: [],
      body: c => tokenBody(c, type),
      send,
      // An object in a payload that has no type or data is no token.
      open: operation === 'tokenize' ? ['without type', 'without data'] : [],
      accepted: [
        c => ({
          id: c.tag.padEnd(400, 'x'),
          ...expressionsAtLimits(c),
          ...(type.isSearchable ? indexAtLimit : {}),
        }),
        c => ({ id: shortId(c, way * tokenTypes.length + index) }),
      ],
      refused: {
        ...beyondExpressions,
        ...(type.isSearchable ? beyondIndex : {}),
        'a long id': c => ({ id: c.tag.padEnd(401, 'x') }),
        'a short id': c => ({ id: shortId(c, 0).slice(1) }),
      },
    }),
  ),
)

const generic = tokenTypes.find(({ type }) => type === 'token') as TokenType
const update: Subject = {
  requirement: 'TOK-542',
  name: 'update',
  title: 'an update of a token',
  operation: 'tokens.update',
  needs: [],
  async body(c) {
    const { type, id, data, metadata, ...members } = await tokenBody(c, generic)
    return members
  },
  async send(c, body, call = c.asPrivate, options) {
    const { id } = await c.shared('patched at limits', s => s.token())
    return call('PATCH', `/tokens/${id}`, body, options)
  },
  accepted: [
    c => ({ ...expressionsAtLimits(c), ...indexAtLimit }),
    () => ({ metadata: named(100, null) }),
    () => ({ metadata: { ...named(49, 'v'), ['k'.repeat(100)]: 'v'.repeat(1000) } }),
  ],
  refused: {
    ...beyondExpressions,
    ...beyondIndex,
    'metadata with 101 members': () => ({ metadata: named(101, null) }),
    'metadata with 51 members after the merge': () => ({ metadata: { ...named(51, 'v'), k50: 'v' } }),
    'metadata with a long name': () => ({ metadata: { ['k'.repeat(101)]: null } }),
    'metadata with an empty name': () => ({ metadata: { '': null } }),
    'metadata with a long value': () => ({ metadata: { k: 'v'.repeat(1001) } }),
  },
}
const named = (count: number, value: unknown) =>
  Object.fromEntries(times(count, index => [`k${index}`, value]))

/** Updates of data, whose limits hold for the merged data. Those of type `token` have none. */
const dataUpdates = tokenTypes
  .filter(({ type }) => type !== 'token')
  .map(
    (one): Subject => ({
      requirement: 'TYP-540',
      name: `limits-${one.type}`,
      title: `an update of the data of a ${one.type}`,
      operation: 'tokens.update',
      schema: one.schema,
      needs: [],
      // Members that a patch does not name stay as they are.
      open: ['without number', 'without routing_number', 'without account_number'],
      body: async () => dataOf(one) as Body,
      async send(c, data, call = c.asPrivate, options) {
        const { type, examples } = one
        const { id } = await c.shared(`limits of ${type}`, s => s.token({ type, data: examples[0].data }))
        return call('PATCH', `/tokens/${id}`, { data }, options)
      },
    }),
  )

const search: Subject = {
  requirement: 'SEA-543',
  name: 'search',
  title: 'a search',
  operation: 'tokens.search',
  needs: [],
  body: async c => ({ query: `id:${c.tag}`, page: 1, size: 20 }),
  send: (c, body) => c.asPrivate('POST', '/tokens/search', body),
}

/** Requests that make, change and find tokens. */
export const tokenSubjects: readonly Subject[] = [...creates, update, ...dataUpdates, search]
