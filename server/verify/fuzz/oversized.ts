import fc from 'fast-check'
import { hostileCases } from '../../src/expressions/hostile.cases.ts'
import { keys } from './callers.ts'
import { type FuzzCase, type FuzzRequest, request } from './case.ts'
import { type Draft, newFormula, newReactor } from './drafts.ts'
import { type Draw, percent } from './draw.ts'
import { filled, piece } from './odd.ts'

/** A request that is made as expensive as possible for its size. */
type Oversized = Pick<FuzzCase, 'title' | 'request'> &
  Partial<Pick<FuzzCase, 'operation' | 'prelude' | 'byFormula'>>

const list = <T>(length: number, item: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => item(index))

/** Draws a request with very much of one thing. Values in its body are huge already. */
export function enlarge(draw: Draw, made: Draft, sent: FuzzRequest): Oversized {
  if (draw(percent(3))) return page(draw)
  if (draw(percent(20))) return draw(fc.boolean()) ? template(draw) : code(draw)
  const { operation, key } = made
  if (operation.body) return { title: `${operation.id}: very much of something`, request: sent }
  return {
    title: `${operation.id}: a long target`,
    request: request(operation.method, target(draw, made), key),
  }
}

/** The maximum length of a head. */
const headBytes = 15_000

/** Draws a long target: of a parameter that is repeated or long, or of the path. */
function target(draw: Draw, { operation, path }: Draft): string {
  const names = operation.parameters.filter(one => one.in === 'query').map(({ name }) => name)
  const name = draw(fc.constantFrom('a', ...names, ...names))
  const long = draw(piece.map(one => filled(encodeURIComponent(one), headBytes)))
  return draw(
    fc.constantFrom(
      ...[
        `${path}?${name}=${long}`,
        `${path}?${filled(`${name}=1&`, headBytes)}`,
        `${path}?${filled('%', headBytes)}`,
      ],
      ...[
        `${path}?${list(700, index => `${name}.k${index}=v`).join('&')}`,
        `${path}?page=999999999999999&size=100`,
      ],
      ...[`${path}/${long}`, filled(path.replaceAll('@', ''), headBytes), filled('/', headBytes)],
    ),
  )
}

/** Draws one of the hostile templates of the expressions' tests, in any member that can be an expression. */
function template(draw: Draw): Oversized {
  const safe = hostileCases.filter(({ data }) => typeof data !== 'number' || Number.isSafeInteger(data))
  const { title, template, data = 1 } = draw(fc.constantFrom(...safe))
  const all = list(10, () => template)
  const id = template.includes('{{') ? template : `{{ data }}${template}`
  const members = [
    { mask: template },
    { mask: all },
    { fingerprint_expression: template },
    { search_indexes: all },
    { id },
  ]
  const body = JSON.stringify({ type: 'token', data, ...draw(fc.constantFrom(...members)) }).slice(0, 2 ** 20)
  return {
    operation: 'tokens.create',
    title: `a template: ${title}`,
    prelude: [],
    request: request('POST', '/tokens', keys.private, body),
  }
}

const codes = fc.constantFrom<(size: number, piece: string) => string>(
  (size, piece) => filled(piece, size),
  size => `${'('.repeat(size / 2)}1${')'.repeat(size / 2)}`,
  size => `module.exports = ${'a=>'.repeat(size / 3 - 20)}a`,
  size => `x = 1 ${'/a'.repeat(size / 2 - 10)}`,
  size => `module.exports = async () => { ${'import("a");'.repeat(size / 12 - 10)} }`,
  size => `module.exports = async () => ({ raw: ${'a'.repeat(size - 100)} })`,
)

function code(draw: Draw): Oversized {
  const text = draw(codes)(draw(fc.constantFrom(1_000, 49_000)), draw(piece))
  return {
    operation: 'reactors.react',
    title: 'reactors.react: very much code',
    prelude: [newFormula(keys.management, text), newReactor(keys.management, '@@0.id@@')],
    request: request('POST', '/reactors/@@1.id@@/react', keys.private, { args: {} }),
    byFormula: true,
  }
}

/** Draws a page of large tokens, or of tokens in many sets of containers. Takes long to prepare. */
function page(draw: Draw): Oversized {
  const isLarge = draw(fc.boolean())
  // In a separate tenant, so that lists of other tokens stay fast.
  const key = isLarge ? keys.other : keys.restricted
  const large = { type: 'token', data: filled('x', 900_000), mask: '{{ data }}' }
  const token = (set: number) => ({
    type: 'token',
    data: 1,
    containers: list(10, n => `/restricted/set${set}/${n}/`),
  })
  const prelude = list(draw(fc.integer({ min: 2, max: 12 })), n =>
    isLarge
      ? request('POST', '/tokens', key, large)
      : request(
          'POST',
          '/tokenize',
          keys.private,
          list(100, at => token(n * 100 + at)),
        ),
  )
  const [search, find] = [
    request('POST', '/tokens/search', key, { size: 100 }),
    request('GET', '/tokens?size=100', key),
  ]
  const title = `a page of ${isLarge ? 'large tokens' : 'tokens in many sets of containers'}`
  return {
    operation: 'tokens.list',
    title,
    prelude,
    ...(draw(fc.boolean()) ? { operation: 'tokens.search', request: search } : { request: find }),
  }
}
