import { canonical, isObject } from '../../src/harness/finding.ts'
import type { Target } from '../../src/harness/target.ts'
import { contentOf } from '../../src/harness/transport.ts'
import type { Expectation } from './derive.ts'
import { dashed, type Exchanged } from './rehearsal.ts'

/** The part of random texts that differs between the two recordings of a case: 4 digits, `4` and 3, `a` and 3. */
export const runs = ['b0b14c0dab1e', 'd0d24fadabed'] as const

/** Settings that a vector refers to. */
export const settings = [
  'private_key',
  'public_key',
  'management_key',
  'other_private_key',
  'other_management_key',
] as const

/** A value of a response that later steps use. */
interface Source {
  readonly step: number
  readonly at: string
  /** The text in each recording. None for a value that is never within another text. */
  readonly values: readonly string[]
  name?: string
}

/** Headers that every client sends in its own way. */
const own = ['svc-trace-id', 'accept', 'connection']

/** Puts names, `@{name}`, in place of what differs between two recordings of one case. */
export class Texts {
  readonly #recordings: readonly (readonly Exchanged[])[]
  readonly #settings: readonly Readonly<Record<(typeof settings)[number], string | undefined>>[]
  readonly #clockUrl: string | undefined
  readonly #bodies: readonly (readonly unknown[])[]
  readonly #sources: Source[] = []
  readonly #count = new Map<string, number>()
  readonly #requests: readonly unknown[]
  /** Places of the responses that the case looks at. */
  #noticed: ReadonlySet<string> = new Set()
  /** True if the requests of both recordings are the same, apart from what has a name. */
  readonly isSame: boolean

  constructor(targets: readonly Target[], recordings: readonly (readonly Exchanged[])[]) {
    this.#recordings = recordings
    this.#settings = targets.map(target => ({
      private_key: target.privateKey,
      public_key: target.publicKey,
      management_key: target.managementKey,
      other_private_key: target.otherPrivateKey,
      other_management_key: target.otherManagementKey,
    }))
    this.#clockUrl = targets[0]?.clockUrl
    this.#bodies = recordings.map(all => all.map(({ response }) => contentOf(response).json))
    this.#findSources()
    const [requests, others] = [0, 1].map(which =>
      (recordings[which] ?? []).map((_, step) => this.#request(which, step)),
    )
    this.#requests = requests ?? []
    this.isSame = canonical(requests) === canonical(others)
  }

  /** Collects the texts of responses that differ between the recordings, where each is first. */
  #findSources(): void {
    const [bodies = [], others = []] = this.#bodies
    const fixed = new Set(
      others.flatMap(body => leaves(body)).map(({ value }) => this.#named(String(value), 1, 0)),
    )
    for (const [step, body] of bodies.entries())
      for (const { at, value } of leaves(body)) {
        if (typeof value !== 'string' || value.length < 6 || fixed.has(this.#named(value, 0, 0))) continue
        if (this.#sources.some(({ values }) => values[0] === value)) continue
        this.#sources.push({ step, at, values: [value, String(valueAt(others[step], at))] })
      }
  }

  /** Returns a text of a step with names. Of values of earlier responses, only those `among` these places get one. */
  #named(text: string, which: number, step: number, among?: ReadonlySet<string>): string {
    const run = runs[which] ?? ''
    let named = text
      .replaceAll(run, '@{run}')
      .replaceAll(dashed(run), '@{run_dashed}')
      .replaceAll(run.toUpperCase(), '@{RUN}')
    for (const [name, key] of Object.entries(this.#settings[which] ?? {}))
      if (key !== undefined) named = named.replaceAll(key, `@{${name}}`)
    for (const source of this.#sources) {
      const value = source.values[which]
      if (value === undefined || source.step >= step || !named.includes(value)) continue
      if (among === undefined || among.has(`${source.step} ${source.at}`))
        named = named.replaceAll(value, `@{${this.#nameOf(source)}}`)
    }
    return named
  }

  #nameOf(source: Source): string {
    if (source.name === undefined) {
      const last = source.at.split('/').findLast(part => /^[a-z_]+$/.test(part)) ?? 'value'
      const count = (this.#count.get(last) ?? 0) + 1
      this.#count.set(last, count)
      source.name = `${last}_${count}`
    }
    return source.name
  }

  #request(which: number, step: number) {
    const request = this.#recordings[which]?.[step]?.request
    if (!request) throw new Error(`no step ${step}`)
    if (request.url === this.#clockUrl) return JSON.parse(String(request.body))
    const { pathname, search } = new URL(request.url)
    const headers = Object.entries(request.headers)
      .filter(([name]) => !own.includes(name))
      .map(([name, value]) => [name, this.#named(value, which, step)])
    const text = typeof request.body === 'string' ? this.#named(request.body, which, step) : undefined
    return {
      method: request.method,
      path: this.#named(pathname + search, which, step),
      headers: Object.fromEntries(headers),
      ...(text === undefined ? {} : isCompactJson(text) ? { body: JSON.parse(text) } : { text }),
    }
  }

  /** Returns the steps of a vector: requests, and what is expected of each response and kept of it. */
  steps(
    statuses: readonly unknown[],
    expectations: readonly (readonly Expectation[])[],
  ): readonly Record<string, unknown>[] {
    this.#noticed = new Set(expectations.flatMap((all, step) => all.map(({ at }) => `${step} ${at}`)))
    const steps = this.#requests.map((request, step) => {
      const expect = (expectations[step] ?? []).map(one => this.#expectation(one, step))
      return {
        ...(request as object),
        ...(statuses[step] === undefined || 'advance_ms' in (request as object)
          ? {}
          : { status: statuses[step] }),
        ...(expect.length === 0 ? {} : { expect }),
      }
    })
    return steps.map((one, step) => {
      const kept = this.#sources.filter(source => source.step === step && source.name !== undefined)
      return kept.length === 0
        ? one
        : { ...one, keep: Object.fromEntries(kept.map(({ name, at }) => [name, at])) }
    })
  }

  #expectation(one: Expectation, step: number): unknown {
    if ('contains' in one)
      return {
        at: one.at,
        contains: one.contains.map(all => all.map(inner => this.#expectation(inner, step))),
      }
    if ('differs' in one)
      return { at: one.at, differs: JSON.parse(this.#named(JSON.stringify(one.differs), 0, step)) }
    if (!('equals' in one)) return one
    const { at, equals, isLiteral } = one
    const source = isLiteral ? undefined : this.#sourceOf(at, equals, step)
    if (source) return { at, equals: `@{${this.#nameOf(source)}}` }
    const text = isLiteral ? this.#named(JSON.stringify(equals), 0, step, this.#noticed) : undefined
    const isKnown =
      text !== undefined && !this.#sources.some(({ values: [value] }) => value && text.includes(value))
    return isKnown ? { at, equals: JSON.parse(text) } : { at, present: true }
  }

  /** Finds where the case also notices a value that has to be the same, in an earlier step. */
  #sourceOf(at: string, value: unknown, step: number): Source | undefined {
    const last = at.slice(at.lastIndexOf('/'))
    for (const [earlier, body] of (this.#bodies[0] ?? []).slice(0, step).entries())
      for (const found of leaves(body))
        if (
          found.at.endsWith(last) &&
          this.#noticed.has(`${earlier} ${found.at}`) &&
          canonical(found.value) === canonical(value)
        ) {
          const known = this.#sources.find(one => one.step === earlier && one.at === found.at)
          if (known) return known
          const source: Source = { step: earlier, at: found.at, values: [] }
          this.#sources.push(source)
          return source
        }
    return undefined
  }
}

/** Returns all values of a body that have no members, by their JSON pointers. */
function leaves(value: unknown, at = ''): { readonly at: string; readonly value: unknown }[] {
  const inner = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : []
  if (inner.length === 0) return value === undefined ? [] : [{ at, value }]
  return inner.flatMap(([name, own]) =>
    leaves(own, `${at}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`),
  )
}

function valueAt(body: unknown, at: string): unknown {
  return leaves(body).find(one => one.at === at)?.value
}

function isCompactJson(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === text
  } catch {
    return false
  }
}
