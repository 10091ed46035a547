import fc from 'fast-check'
import { keys } from './callers.ts'
import { type FuzzCase, type Kind, request } from './case.ts'
import type { Document } from './document.ts'
import { type Draft, draft, toRequest } from './drafts.ts'
import { type Draw, drawFrom, percent, weighted } from './draw.ts'
import { enlarge } from './oversized.ts'
import { peerCase } from './peer-cases.ts'
import { marker } from './texts.ts'
import { unreadCase } from './unread-cases.ts'
import { type Mode, Values } from './values.ts'
import { wireFault } from './wire-faults.ts'

const kinds = Object.entries({
  valid: 300,
  grammar: 280,
  mutated: 290,
  oversized: 30,
  wire: 85,
  peer: 13,
  unread: 2,
})
const anyKind = weighted(...kinds.map(([kind, weight]) => [weight, fc.constant(kind as Kind)] as const))

/** Bodies of this size are sent without concurrent cases. */
const large = 20_000

/** Complex operations have more cases. */
const weights: Readonly<Record<string, number>> = {
  ...{
    'tokens.create': 8,
    'tokens.update': 4,
    'tokens.search': 4,
    tokenize: 3,
    detokenize: 3,
    'reactors.react': 3,
  },
  ...{ 'applications.create': 2, 'tokens.list': 2 },
}

/** Makes the cases of a seed. Each depends on the seed and its number only. */
export class Generator {
  readonly #document: Document
  readonly #values: Readonly<Record<Mode, Values>>

  constructor(document: Document) {
    this.#document = document
    const [strict, loose] = [new Values(document, 'strict'), new Values(document, 'loose')]
    this.#values = { strict, loose, odd: new Values(document, 'odd'), huge: new Values(document, 'huge') }
  }

  /** @param only another kind than the one that is drawn */
  generate(seed: string, number: number, only?: Kind): FuzzCase {
    return drawFrom(`${seed}/${number}`, draw => {
      const drawn = draw(anyKind)
      const kind = only ?? drawn
      const base = { number, kind, secrets: [], byFormula: true, mayHangUp: false, alone: kind === 'unread' }
      if (kind === 'peer') return { ...base, operation: 'target', ...peerCase(draw, number) }
      if (kind === 'unread') return { ...base, operation: 'unread', ...unreadCase(this.#document, draw) }
      const choices = this.#document.operations.map(one => [weights[one.id] ?? 1, fc.constant(one)] as const)
      const made = draft(
        draw(weighted(...choices)),
        draw,
        this.#values[modes[kind]],
        kind === 'mutated' || kind === 'oversized',
      )
      return this.#case({ ...base, byFormula: made.byFormula }, draw, made)
    })
  }

  #case(
    base: Omit<FuzzCase, 'operation' | 'title' | 'prelude' | 'request'>,
    draw: Draw,
    made: Draft,
  ): FuzzCase {
    const { kind, number } = base
    const { id } = made.operation
    const canary = `zq7canary${number}x${draw(fc.nat())}`
    const drawn = toRequest(
      kind === 'mutated' && !made.operation.body ? { ...made, path: draw(otherPath(made.path)) } : made,
    )
    const sent =
      typeof drawn.body === 'string' ? { ...drawn, body: drawn.body.replaceAll(marker, canary) } : drawn
    const title = kind === 'mutated' ? `${id}: odd values` : id
    const plain: FuzzCase = {
      ...base,
      operation: id,
      title,
      prelude: made.prelude,
      request: sent,
      secrets: numbersIn(`${sent.body}`),
    }
    // Sent before with the same key, so that the response is repeated.
    if (made.headers.length > 0 && draw(percent(50))) return { ...plain, prelude: [...plain.prelude, sent] }
    if (kind === 'valid' && id === 'tokens.create' && draw(percent(5)))
      return { ...plain, ...planted(canary) }
    if (kind === 'wire') {
      const { title, ...changed } = wireFault(draw, sent)
      return { ...plain, ...changed, title: `${id}: ${title}` }
    }
    if (kind !== 'oversized') return plain
    const enlarged = { ...plain, ...enlarge(draw, made, sent) }
    return { ...enlarged, alone: enlarged.prelude.length > 2 || (enlarged.request.body?.length ?? 0) > large }
  }
}

const modes = { valid: 'strict', grammar: 'loose', mutated: 'odd', oversized: 'huge', wire: 'loose' } as const
const segments = fc.constantFrom(
  ...'x .. %00 %F0%9F%99%82 %ff %2F 0 search key __proto__'.split(' '),
  'A'.repeat(401),
)

/** A path with another segment. */
const otherPath = (path: string) =>
  fc.tuple(segments, fc.nat(path.split('/').length - 2)).map(([other, at]) =>
    path
      .split('/')
      .with(at + 1, other)
      .join('/'),
  )

/** Another caller has made a token first, whose literal expression is this one's data. */
function planted(data: string): Partial<FuzzCase> {
  const token = (key: string, data: string, fingerprint_expression: string) =>
    request('POST', '/tokens', key, { type: 'token', data, fingerprint_expression, deduplicate_token: true })
  return {
    title: 'tokens.create: with an original that somebody has planted',
    prelude: [token(keys.public, 'theirs', data)],
    request: token(keys.private, data, '{{ data }}'),
    extra: { check: 'planted' },
  }
}

/** Returns the numbers of cards and accounts in a body. */
const numbersIn = (body: string) =>
  [...body.matchAll(/"(?:data|(?:\w+_)?number)":"(\d{9,19})"/g)].map(([, number = '']) => number)
