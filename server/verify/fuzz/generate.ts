import { keys } from './callers.ts'
import type { FuzzCase, Kind } from './case.ts'
import { Dice } from './dice.ts'
import type { Document, Operation } from './document.ts'
import { type Draft, draft, toRequest } from './drafts.ts'
import { mutate } from './mutate.ts'
import { oversized } from './oversized/index.ts'
import { largePages } from './oversized/pages.ts'
import type { Oversized } from './oversized/shape.ts'
import { Values } from './values.ts'
import { wireFault } from './wire-faults.ts'

/** Matches only marked values of sensitive members, to find them in a log or a problem. */
export const canaryPattern = /zq7canary\w+/i

const kinds: readonly (readonly [weight: number, kind: Kind])[] = [
  [30, 'valid'],
  [28, 'grammar'],
  [30, 'mutated'],
  [3, 'oversized'],
  [9, 'wire'],
]

/** Bodies of this size are sent without concurrent cases. */
const large = 20_000

/** Complex operations have more cases. */
const weights: Readonly<Record<string, number>> = {
  'tokens.create': 8,
  'tokens.update': 4,
  'tokens.search': 4,
  tokenize: 3,
  detokenize: 3,
  'reactors.react': 3,
  'applications.create': 2,
  'tokens.list': 2,
}

/** Makes one case. It depends on the seed and its number only. */
export function generate(document: Document, seed: string, number: number): FuzzCase {
  const dice = new Dice(`${seed}/${number}`)
  const kind = dice.weighted(kinds)
  if (kind === 'oversized') return enlarged(document, dice, number)
  const operation = dice.weighted(document.operations.map(one => [weights[one.id] ?? 1, one] as const))
  const values = new Values(document, dice, {
    canary: `zq7canary${number}x${dice.text('abcdefghijklmnopqrstuvwxyz', 10, 10)}`,
    strict: kind === 'valid',
  })
  const made = draft(document, operation, values)
  const plain: FuzzCase = {
    number,
    kind,
    operation: operation.id,
    title: operation.id,
    prelude: made.prelude,
    request: toRequest(made),
    secrets: values.secrets,
    byFormula: made.byFormula,
    mayHangUp: false,
    alone: false,
  }
  // Sent before with the same key, so that the response is repeated.
  if (isKeyed(plain) && dice.chance(0.5)) return { ...plain, prelude: [...plain.prelude, plain.request] }
  if (kind === 'wire') return { ...plain, ...wire(dice, plain) }
  return kind === 'mutated' ? { ...plain, ...mutated(document, dice, operation, made) } : plain
}

const isKeyed = ({ request }: FuzzCase) => request.headers.some(([name]) => name === 'SVC-IDEMPOTENCY-KEY')

function wire(dice: Dice, plain: FuzzCase): Partial<FuzzCase> {
  const { title, request, mayHangUp } = wireFault(dice, plain.request)
  return { title: `${plain.operation}: ${title}`, request, mayHangUp }
}

/** Mutates the body in one or more places, or the path if there is no body. */
function mutated(document: Document, dice: Dice, operation: Operation, made: Draft): Partial<FuzzCase> {
  if (!operation.body || made.body === undefined) {
    const { path, title } = otherPath(dice, made.path)
    const query = dice.chance(0.5)
      ? [
          ...made.query,
          [dice.pick(['size', 'page', 'start']), dice.pick(['0', '-1', '101', 'x', ''])] as const,
        ]
      : made.query
    return { title: `${operation.id}: ${title}`, request: toRequest({ ...made, path, query }) }
  }
  let body = made.body
  const titles: string[] = []
  for (let count = dice.pick([1, 1, 1, 2, 3]); count > 0; count--) {
    const change = mutate(document, dice, body, operation.body)
    body = change.body
    titles.push(change.title)
  }
  return { title: `${operation.id}: ${titles.join('; ')}`, request: toRequest({ ...made, body }) }
}

function otherPath(dice: Dice, path: string): { path: string; title: string } {
  const other = dice.pick([
    'x',
    '..',
    '%00',
    '%F0%9F%99%82',
    '%ff',
    '%2F',
    '0',
    'search',
    'key',
    '__proto__',
    'A'.repeat(200),
    'A'.repeat(401),
    dice.uuid(),
  ])
  const segments = path.split('/')
  const at = dice.int(1, segments.length - 1)
  return { path: segments.with(at, other).join('/'), title: `the path with ${other.slice(0, 20)}` }
}

function enlarged(document: Document, dice: Dice, number: number): FuzzCase {
  const shape: Oversized = dice.pick(dice.chance(0.03) ? largePages : dice.pick(oversized))
  const operation = document.operation(shape.operation)
  const { target, key, prelude = [], body, byFormula = false } = shape.make(dice)
  const request = toRequest(
    {
      operation,
      prelude,
      path: target ?? operation.path,
      query: [],
      key: key ?? keyFor(operation),
      body: undefined,
      headers: [],
      byFormula,
    },
    body,
  )
  return {
    number,
    kind: 'oversized',
    operation: operation.id,
    title: `${operation.id}: ${shape.title}`,
    prelude,
    request,
    secrets: [],
    byFormula,
    mayHangUp: false,
    alone: prelude.length > 2 || (body?.length ?? 0) > large,
  }
}

const keyFor = ({ id }: Operation) =>
  /^(reactorFormulas|applications|reactors\.create)/.test(id) ? keys.management : keys.private
