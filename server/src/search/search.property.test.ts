// In a process of its own: it takes long.
import fc from 'fast-check'
import t from 'tap'
import { enginesToTry } from '../../verify/support/storage.ts'
import { openTenant, openVault, type Send, type TestTenant } from '../../verify/support/vault.ts'

/**
 * Random queries over random tokens, spelled in random ways, sent as a caller sends them, and answered again
 * by a model that shares nothing with the server: it looks at the tokens as they are shown, and compares
 * times as the text they are shown in.
 */
const cases = Number(process.env.SURROGATE_SEARCH_CASES ?? 500)

interface Token {
  readonly id: string
  readonly type: string
  readonly fingerprint: string
  readonly containers: readonly string[]
  readonly metadata?: Readonly<Record<string, string>>
  readonly created_by: string
  readonly created_at: string
  readonly modified_by?: string
  readonly modified_at?: string
  /** The values of its search indexes. */
  readonly patterns: readonly string[]
}

type Bound = { readonly text: string; readonly included: boolean } | '*'

type Condition =
  | { readonly is: 'text'; readonly field: string; readonly value: string }
  | { readonly is: 'container'; readonly path: string; readonly below: boolean }
  | { readonly is: 'times'; readonly field: TimeField; readonly from: Bound; readonly to: Bound }
  | { readonly is: 'not'; readonly of: Condition }
  | { readonly is: 'and' | 'or'; readonly of: readonly Condition[] }

type TimeField = 'created_at' | 'modified_at'

const containers = ['/', '/a/', '/A/b/', '/a/b/c/', '/ab/', '/d/', '/D/e/']
const values = ['x', 'X y', 'y', 'a"b', 'c\\d', '(z)', 'p:q', 'ÄÖ', 'AND', '-1', '*', '']
const keys = ['k', 'K2', 'a.b', 'x-y']

const lower = (text: string) => text.toLowerCase()

// ------------------------------------------------------------------------------------------------ the model

function matches(condition: Condition, token: Token): boolean {
  switch (condition.is) {
    case 'text':
      return textsOf(condition.field, token).some(text => lower(text) === lower(condition.value))
    case 'container':
      return token.containers.some(container =>
        condition.below
          ? lower(container).startsWith(lower(condition.path))
          : lower(container) === lower(condition.path),
      )
    case 'times': {
      const time = token[condition.field]
      return time !== undefined && isBeyond(time, condition.from, 1) && isBeyond(time, condition.to, -1)
    }
    case 'not':
      return !matches(condition.of, token)
    case 'and':
      return condition.of.every(part => matches(part, token))
    case 'or':
      return condition.of.some(part => matches(part, token))
  }
}

function textsOf(field: string, token: Token): readonly string[] {
  if (field === 'data') return token.patterns
  if (!field.startsWith('metadata.')) return [token[field as 'id'] ?? []].flat()
  const key = lower(field.slice('metadata.'.length))
  return Object.entries(token.metadata ?? {}).flatMap(([name, value]) => (lower(name) === key ? [value] : []))
}

// ISO times of one form sort as text; a bound without a time of day is compared with the day alone.
function isBeyond(time: string, bound: Bound, order: 1 | -1): boolean {
  if (bound === '*') return true
  const given = time.slice(0, bound.text.length)
  return given === bound.text ? bound.included : (given > bound.text ? 1 : -1) === order
}

// ---------------------------------------------------------------------------------------------- the spelling

/** Draws from a row of random numbers, the same for the same case. */
type Draw = <T>(...choices: readonly T[]) => T

function drawFrom(numbers: readonly number[]): Draw {
  let next = 0
  return (...choices) => {
    const number = numbers[next++ % numbers.length] ?? 0
    const choice = choices[number % choices.length]
    return choice as (typeof choices)[number]
  }
}

const ranks = { or: 0, and: 1, not: 2, text: 3, container: 3, times: 3 } as const

/** The condition as a query; parentheses where the rank of what is around needs them, and at times elsewhere. */
function spell(condition: Condition, draw: Draw, around = 0): string {
  const text = spellBare(condition, draw)
  return ranks[condition.is] < around || draw(false, false, false, true)
    ? `(${draw('', ' ')}${text}${draw('', ' ')})`
    : text
}

function spellBare(condition: Condition, draw: Draw): string {
  switch (condition.is) {
    case 'text':
      return `${condition.field}:${spellValue(changeCase(condition.value, draw), draw)}`
    case 'container': {
      const path = changeCase(condition.path, draw)
      const shown = condition.below
        ? `${path}*`
        : path !== '/' && draw(true, false)
          ? path.slice(0, -1)
          : path
      return `container:${draw(shown, `"${shown}"`)}`
    }
    case 'times':
      return spellTimes(condition, draw)
    case 'not':
      return `${draw('NOT ', '!', '-', '! ', 'NOT  ')}${spell(condition.of, draw, 2)}`
    case 'or':
      return condition.of.map(part => spell(part, draw, 1)).join(draw(' OR ', '  OR\n'))
    case 'and':
      return condition.of
        .map((part, place) => {
          const text = spell(part, draw, 2)
          if (place === 0) return text
          // NOT joins two terms by itself.
          const joins = part.is === 'not' && !text.startsWith('(')
          return `${joins ? draw(' AND ', ' ') : draw(' AND ', '\tAND  ')}${text}`
        })
        .join('')
  }
}

function spellTimes({ field, from, to }: Extract<Condition, { is: 'times' }>, draw: Draw): string {
  const same = from !== '*' && to !== '*' && from.text === to.text && from.included && to.included
  if (same && draw(true, false)) return `${field}:${draw(from.text, `"${from.text}"`)}`
  const show = (bound: Bound) => (bound === '*' ? '*' : draw(bound.text, `"${bound.text}"`))
  const opening = from === '*' ? draw('[', '{') : from.included ? '[' : '{'
  const closing = to === '*' ? draw(']', '}') : to.included ? ']' : '}'
  return `${field}:${opening}${show(from)} TO ${show(to)}${closing}`
}

function spellValue(value: string, draw: Draw): string {
  const quoted = `"${value.replace(/["\\]/g, '\\$&')}"`
  return /^[\w:.+-]+$/.test(value) ? draw(value, quoted) : quoted
}

const changeCase = (text: string, draw: Draw) => draw(text, text, text.toUpperCase(), text.toLowerCase())

// ------------------------------------------------------------------------------------------------ the cases

function conditions(tokens: readonly Token[]): fc.Arbitrary<Condition> {
  const some = <T>(...from: readonly T[]) => fc.constantFrom(...from)
  const ofTokens = (pick: (token: Token) => readonly (string | undefined)[]) =>
    some(...new Set(tokens.flatMap(pick).filter(text => text !== undefined)), 'nothing')
  const text = (field: string, value: fc.Arbitrary<string>) =>
    value.map((chosen): Condition => ({ is: 'text', field, value: chosen }))
  const stamps = tokens.flatMap(({ created_at, modified_at }) => [created_at, modified_at ?? created_at])
  const moments = some(...stamps, ...stamps.map(stamp => stamp.slice(0, 10)), '2020-01-01', '2990-12-31')
  const bound: fc.Arbitrary<Bound> = fc.oneof(
    { weight: 1, arbitrary: fc.constant<Bound>('*') },
    { weight: 4, arbitrary: fc.record({ text: moments, included: fc.boolean() }) },
  )
  const field = some<TimeField>('created_at', 'modified_at')
  const metadata = fc.tuple(some(...keys, 'none'), some(...values))
  const indexed = ofTokens(token => token.patterns)
  const leaf = fc.oneof(
    ...(['id', 'type', 'fingerprint', 'created_by', 'modified_by'] as const).map(name => {
      const found = ofTokens(token => [token[name]])
      return text(name, found)
    }),
    text('data', indexed),
    {
      weight: 3,
      arbitrary: metadata.map(([key, value]): Condition => ({ is: 'text', field: `metadata.${key}`, value })),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        is: fc.constant('container' as const),
        path: some(...containers),
        below: fc.boolean(),
      }),
    },
    fc.record({ is: fc.constant('times' as const), field, from: bound, to: bound }),
    fc.tuple(field, moments).map(
      ([of, at]): Condition => ({
        is: 'times',
        field: of,
        from: { text: at, included: true },
        to: { text: at, included: true },
      }),
    ),
  ) as fc.Arbitrary<Condition>
  return fc.letrec<{ condition: Condition }>(tie => ({
    condition: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.array(tie('condition'), { minLength: 2, maxLength: 4 }).map((of): Condition => ({ is: 'and', of })),
      fc.array(tie('condition'), { minLength: 2, maxLength: 4 }).map((of): Condition => ({ is: 'or', of })),
      tie('condition').map((of): Condition => ({ is: 'not', of })),
    ),
  })).condition
}

const tokenBodies = fc.sample(
  fc.record({
    kind: fc.nat(3),
    number: fc.integer({ min: 100_000_000, max: 999_999_999 }),
    indexed: fc.boolean(),
    capital: fc.boolean(),
    named: fc.boolean(),
    places: fc.uniqueArray(fc.constantFrom(...containers), { minLength: 1, maxLength: 3 }),
    metadata: fc.dictionary(fc.constantFrom(...keys), fc.constantFrom(...values), { maxKeys: 3 }),
    patched: fc.boolean(),
    pauseHours: fc.nat(30),
  }),
  { numRuns: 60, seed: 4 },
)

async function fill(tenant: TestTenant, advance: (ms: number) => Promise<void>): Promise<Token[]> {
  const tokens: Token[] = []
  for (const [index, body] of tokenBodies.entries()) {
    const { kind, number, indexed, capital, named, places, metadata, patched, pauseHours } = body
    const data = kind === 0 ? String(number) : { name: `Value ${number % 7}`, number }
    const { status, json, text } = await tenant.send('POST', '/tokens', {
      type: kind === 0 ? 'social_security_number' : 'token',
      data,
      containers: places,
      metadata,
      ...(named ? { id: `${capital ? 'Id' : 'id'}-${index}` } : {}),
      ...(kind > 0 && indexed ? { search_indexes: ['{{ data.name }}', '{{ data.number }}'] } : {}),
    } as never)
    if (status !== 201) throw new Error(text)
    if (patched) {
      const changes = { metadata: { k: values[index % 5] } }
      const change = await tenant.send('PATCH', `/tokens/${json.id}`, changes as never)
      if (change.status !== 200) throw new Error(change.text)
    }
    const byDefault = [String(number), String(number), String(number).slice(-4)]
    const byIndex = indexed ? [`Value ${number % 7}`, String(number)] : []
    const shown = (await tenant.send('GET', `/tokens/${json.id}`)).json
    tokens.push({ ...shown, patterns: kind === 0 ? byDefault : byIndex })
    await advance(pauseHours * 3_600_000)
  }
  return tokens
}

/** A caller and what it may see, told by the rules alone. */
interface Reader {
  readonly send: Send
  readonly sees: (token: Token) => boolean
}

async function readers(tenant: TestTenant, tokens: readonly Token[]): Promise<Reader[]> {
  const rule = (priority: number, where: object) => ({
    priority,
    transform: 'redact',
    permissions: ['token:search'],
    ...where,
  })
  const on = (attribute: string, operator: string, value: string) => ({
    conditions: [{ attribute, operator, value }],
  })
  const open = async (rules: object[], covers: (token: Token, container: string) => boolean) => ({
    send: (await tenant.application({ rules } as never)) as Send,
    sees: (token: Token) => token.containers.every(container => covers(token, container)),
  })
  const named = tokens.find(token => token.containers.length > 1)?.id ?? ''
  return [
    await open([rule(1, { container: '/' })], () => true),
    await open([rule(1, { container: '/a/' })], (_, container) => lower(container).startsWith('/a/')),
    await open(
      [
        rule(1, on('container', 'equals', '/d/')),
        rule(2, on('id', 'equals', named)),
        rule(3, { container: '/a/b/' }),
      ],
      (token, container) =>
        lower(container) === '/d/' || token.id === named || lower(container).startsWith('/a/b/'),
    ),
    // As many rules as there may be: each token of an even place is named in one, with one of its containers.
    await open(
      [
        rule(1, { container: '/A/' }),
        rule(2, on('container', 'equals', '/D/')),
        ...Array.from({ length: 98 }, (_, index) => {
          const { id, containers: [container] = [] } = tokens[(2 * index) % tokens.length] as Token
          const conditions = [
            { attribute: 'container', operator: 'starts_with', value: '/' },
            { attribute: 'id', operator: 'equals', value: id },
            { attribute: 'container', operator: index < 30 ? 'equals' : 'starts_with', value: container },
          ]
          return rule(index + 3, { conditions })
        }),
      ],
      (token, container) => {
        const place = tokens.indexOf(token)
        const own = lower(token.containers[0] ?? '')
        // A token is named again and again, and by `starts_with` at least once.
        const isNamed = place % 2 === 0 && lower(container).startsWith(own)
        return lower(container).startsWith('/a/') || lower(container) === '/d/' || isNamed
      },
    ),
  ]
}

for (const engine of enginesToTry) {
  t.test(`in ${engine}, random queries find what a naive model finds`, async t => {
    const place = engine === 'level' ? { storage: `level:${t.testdir()}` } : {}
    // Otherwise each of these responses would be validated against the contract, which other tests do.
    const vault = openVault(t, { ...place, dev: false, masterKey: new Uint8Array(32).fill(7) })
    const tenant = await openTenant(vault)
    const tokens = await fill(tenant, ms => vault.clock.advance(ms))
    const callers = await readers(tenant, tokens)
    // A database takes its time for each, and the queries that it gets are the same.
    const runs = engine === 'postgres' ? cases / 10 : cases / 2
    const spelling = fc.array(fc.nat(59), { minLength: 1, maxLength: 40 })
    let [found, empty] = [0, 0]
    await fc.assert(
      fc.asyncProperty(
        conditions(tokens),
        spelling,
        fc.nat(callers.length - 1),
        async (condition, numbers, which) => {
          const query = spell(condition, drawFrom(numbers))
          // Longer ones are refused, as another test has it.
          fc.pre([...query].length <= 2000)
          const { send, sees } = callers[which] as Reader
          const { status, json, text } = await send('POST', '/tokens/search', { query, size: 100 })
          if (status !== 200) throw new Error(`${query}: ${text}`)
          const expected = tokens
            .filter(token => sees(token) && matches(condition, token))
            .map(token => token.id)
          const got = json.data.map((token: Token) => token.id)
          if (got.join() !== expected.reverse().join() || json.pagination.total_items !== got.length)
            throw new Error(`${query}\n found ${got}\n of    ${expected}`)
          if (got.length > 0) found++
          else empty++
        },
      ),
      { numRuns: runs },
    )
    t.comment(`${found} queries found something, ${empty} nothing`)
    t.ok(found > runs / 5 && empty > runs / 25, 'both happen often enough to mean something')
  })
}
