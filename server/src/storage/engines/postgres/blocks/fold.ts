import type { ClientBase } from 'pg'
import { rowsOf } from '../rows.ts'
import type { Statement } from '../sql.ts'
import type { FoldLimits } from './fold-limits.ts'
import { staleWeight } from './fold-limits.ts'
import { blockOf, type DocumentToFold, hexOf, termList } from './masks.ts'
import * as sql from './statements.ts'

/** A collection as the database names it. */
export interface FoldedCollection {
  readonly tenant: string
  readonly kind: number
}

/** How a collection is folded at the moment. */
interface State {
  readonly documents: number
  /** The stamp up to which documents are in blocks; undefined if the collection is not folded. */
  readonly foldedUs?: number
  /** False if a server without blocks wrote to the collection, so that its blocks may be wrong. */
  readonly isKnown: boolean
  readonly hasStale: boolean
}

/** Stale documents that are folded while writers of their collection wait. */
const staleAtOnce = 256

/** Terms that are folded in all earlier blocks at once: finding their documents must not take seconds. */
const mostFresh = 10

/** After `forgotten`, the collection is folded from the beginning. */
type Step = 'nothing' | 'something' | 'forgotten'

const latestUs = Number.MAX_SAFE_INTEGER

/**
 * Folds one collection. Each step is a transaction, so that nothing is half done if the process ends. A step that others
 * have done meanwhile, or that meets a change of its documents, has no effect.
 */
export class Fold {
  readonly #client: ClientBase
  readonly #place: readonly [string, number]
  readonly #limits: FoldLimits

  constructor(client: ClientBase, { tenant, kind }: FoldedCollection, limits: FoldLimits) {
    this.#client = client
    this.#place = [tenant, kind]
    this.#limits = limits
  }

  /** Does the next step. @param mayForget blocks that may be wrong are removed, and made anew */
  async step(mayForget: boolean): Promise<Step> {
    try {
      return await this.#transact(() => this.#next(mayForget, false))
    } catch (error) {
      if (!(error instanceof Outdated)) throw error
      return this.#transact(() => this.#next(mayForget, true))
    }
  }

  async #next(mayForget: boolean, isLocked: boolean): Promise<Step> {
    if (isLocked) await this.#ask(sql.lock)
    const state = await this.#state()
    if (!state) return 'nothing'
    if (state.foldedUs === undefined) return this.#begin()
    if (!state.isKnown || state.documents * 2 < this.#limits.leastDocuments) {
      if (!mayForget) return 'nothing'
      await this.#ask(sql.forget)
      return 'forgotten'
    }
    if (state.hasStale) return this.#foldStale()
    const isFolded = (await this.#foldNext(state.foldedUs, isLocked)) || (await this.#merge())
    return isFolded ? 'something' : 'nothing'
  }

  /** Removes what is left of an earlier folding, and begins if the collection is large enough. */
  async #begin(): Promise<Step> {
    await this.#ask(sql.lock)
    const state = await this.#state()
    if (!state || state.foldedUs !== undefined) return 'something'
    if ((await this.#ask(sql.hasFoldedTerms)).length > 0) {
      await this.#ask(sql.removeSomeTerms)
      return 'something'
    }
    for (const statement of sql.removeRest) await this.#ask(statement)
    const isLarge = state.documents >= this.#limits.leastDocuments
    if (isLarge) await this.#ask(sql.begin)
    return isLarge ? 'something' : 'nothing'
  }

  /** Folds the oldest documents that are in no block, if they fill one. */
  async #foldNext(afterUs: number, isLocked: boolean): Promise<boolean> {
    const { blockDocuments } = this.#limits
    const documents = await this.#read(afterUs, latestUs, blockDocuments)
    if (documents.length < blockDocuments) {
      // The number is only approximate: documents that are removed before they are folded stay in it.
      await this.#ask(sql.setUnfolded, documents.length, blockDocuments)
      return false
    }
    const [[last = '-1'] = []] = await this.#ask(sql.readLastBlock)
    const { lastUs, modifiedUs } = rangeOf(documents)
    await this.#write(Number(last) + 1, documents, afterUs)
    if (!isLocked) {
      // Until here nothing was locked, so that writers need not wait for it.
      await this.#ask(sql.lock)
      const [now] = await this.#ask(sql.readFingerprint, afterUs, lastUs)
      if (Number(now?.[0]) !== documents.length || Number(now?.[1]) !== modifiedUs) throw new Outdated()
      const state = await this.#state()
      if (state?.foldedUs !== afterUs || !state.isKnown) throw new Outdated()
    }
    await this.#ask(sql.setFolded, lastUs, documents.length)
    return true
  }

  /** @param earlierUs the stamp up to which there are blocks already, in which terms that are new are folded as well */
  async #write(block: number, documents: readonly DocumentToFold[], earlierUs?: number): Promise<void> {
    const { commonFrom, mostTerms } = this.#limits
    const { stamps, terms } = await blockOf(documents)
    const known = new Set((await this.#ask(sql.readFoldedTerms)).map(([term = '']) => term))
    const room = earlierUs === undefined ? 0 : Math.max(0, mostTerms - known.size)
    const fresh = [...terms]
      .filter(([term, places]) => !known.has(term) && places.length >= commonFrom)
      .sort(([, a], [, b]) => b.length - a.length)
      // Those that remain are folded with one of the next blocks.
      .slice(0, earlierUs === -1 ? room : Math.min(room, mostFresh))
      .map(([term]) => term)
    if (fresh.length > 0 && earlierUs !== undefined && earlierUs >= 0) {
      await this.#ask(sql.foldEarlier, `{${fresh.join(',')}}`, earlierUs)
    }
    const isNew = new Set(fresh)
    const folded = [...terms].filter(([term]) => known.has(term) || isNew.has(term))
    const names = `{${folded.map(([term]) => term).join(',')}}`
    const numbers = `{${folded.map(([, places]) => places.length).join(',')}}`
    await this.#ask(
      sql.insertBlock,
      block,
      stamps[0],
      stamps.at(-1),
      hexOf(documents.keys()),
      `{${stamps.join(',')}}`,
    )
    await this.#ask(
      sql.insertTermBlocks,
      block,
      names,
      `{${folded.map(([, places]) => hexOf(places)).join(',')}}`,
    )
    if (earlierUs !== undefined) await this.#ask(sql.countTerms, names, numbers)
  }

  /** Brings documents up to date that were removed or replaced after they were folded. */
  async #foldStale(): Promise<Step> {
    if (!(await this.#lockKnown())) return 'something'
    const taken = await this.#ask(sql.takeStale, staleAtOnce)
    const gone = new Places()
    const cleared = new Places()
    const set = new Places()
    for (const [before = '{}', after, block = '', place = ''] of taken) {
      const [had, has] = [termList(before), termList(after ?? '{}')]
      if (after === null) gone.add('', block, place)
      for (const term of had) if (!has.includes(term)) cleared.add(term, block, place)
      for (const term of has) if (!had.includes(term)) set.add(term, block, place)
    }
    if (gone.size > 0) await this.#ask(sql.clearLive, ...gone.columns.slice(1))
    if (cleared.size > 0) await this.#ask(sql.clearBits, ...cleared.columns)
    if (set.size > 0) await this.#ask(sql.setBits, ...set.columns)
    await this.#ask(sql.setFolded, -1, taken.length * staleWeight)
    return 'something'
  }

  /** Makes one block of two neighbours with few documents. */
  async #merge(): Promise<boolean> {
    const half = Math.floor(this.#limits.blockDocuments / 2)
    if ((await this.#ask(sql.findSparse, half)).length === 0) return false
    const state = await this.#lockKnown()
    const [pair] = await this.#ask(sql.findSparse, half)
    // With stale documents, the next step brings them up to date first.
    if (!state || state.hasStale || !pair) return true
    const [block, next, startUs, endUs] = pair.map(Number) as [number, number, number, number]
    await this.#ask(sql.removeTermBlocks, `{${block},${next}}`)
    await this.#ask(sql.removeBlocks, `{${block},${next}}`)
    const documents = await this.#read(startUs, endUs, this.#limits.blockDocuments)
    if (documents.length > 0) await this.#write(block, documents)
    return true
  }

  async #lockKnown(): Promise<State | undefined> {
    await this.#ask(sql.lock)
    const state = await this.#state()
    return state?.foldedUs !== undefined && state.isKnown ? state : undefined
  }

  async #transact(work: () => Promise<Step>): Promise<Step> {
    await this.#client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
    try {
      await this.#ask(sql.takeTurn)
      const done = await work()
      await this.#client.query('COMMIT')
      return done
    } catch (error) {
      await this.#client.query('ROLLBACK').catch(() => {})
      throw error
    }
  }

  async #read(afterUs: number, toUs: number, limit: number): Promise<DocumentToFold[]> {
    return (await this.#ask(sql.readNext, afterUs, toUs, limit)) as unknown as DocumentToFold[]
  }

  async #state(): Promise<State | undefined> {
    const [row] = await this.#ask(sql.readFolding)
    if (!row) return undefined
    const [documents, foldedUs, isKnown, hasStale] = row as readonly (string | null)[]
    return {
      documents: Number(documents),
      isKnown: isKnown === 't',
      hasStale: hasStale === 't',
      ...(foldedUs === null ? {} : { foldedUs: Number(foldedUs) }),
    }
  }

  async #ask(statement: Statement, ...values: unknown[]): Promise<readonly (readonly string[])[]> {
    return (await this.#client.query(rowsOf(statement, [...this.#place, ...values]))).rows
  }
}

/** Documents were changed while they were being folded. */
class Outdated extends Error {}

function rangeOf(documents: readonly DocumentToFold[]) {
  const modifiedUs = documents.reduce((latest, [, modified]) => Math.max(latest, Number(modified ?? 0)), 0)
  return { lastUs: Number(documents.at(-1)?.[0]), modifiedUs }
}

/** Bits to change, as columns for the database. */
class Places {
  readonly #rows: (readonly [term: string, block: string, place: string])[] = []

  add(term: string, block: string, place: string): void {
    this.#rows.push([term, block, place])
  }

  get size(): number {
    return this.#rows.length
  }

  get columns(): string[] {
    return [0, 1, 2].map(column => `{${this.#rows.map(row => row[column]).join(',')}}`)
  }
}
