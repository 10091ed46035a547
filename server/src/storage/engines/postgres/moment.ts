import { type Block, decodeBlock } from '../../index/bits.ts'
import type { Moment } from '../../index/search.ts'
import { type Digest, type DocumentKind, digestOfUuid } from '../../port/port.ts'
import { numberOf } from './kinds.ts'
import { type Ask, bytesOf, documentOf, isWithoutBox, placeOf, type Row, uuidsOf } from './rows.ts'
import { reading, type Statement } from './sql.ts'

/** A collection as a transaction sees it, for a search. Statements of one step are sent without waiting for each other. */
export function momentOf(asking: Ask, kind: DocumentKind, tenant: string): Moment {
  const ask = (statement: Statement, ...values: unknown[]) =>
    asking(statement, [tenant, numberOf(kind), ...values])
  const ordinalsOf = (rows: readonly Row[]) => rows.map(([ordinal]) => Number(ordinal))
  return {
    blocks: async terms => {
      const found = new Map<Digest, Map<number, Block>>()
      for (const term of terms) found.set(term, new Map())
      for (const [term, block, bits] of await ask(reading.blocks, uuidsOf(terms))) {
        found.get(digestOfUuid(term as string))?.set(Number(block), decodeBlock(bytesOf(bits as string)))
      }
      return found
    },
    ordinals: async ids => ordinalsOf(await ask(reading.ordinals, uuidsOf(ids))),
    modified: async (fromUs, toUs) => ordinalsOf(await ask(reading.modified, fromUs, toUs)),
    due: async nowMs => ordinalsOf(await ask(reading.dueOrdinals, nowMs)),
    firstFrom: async us => {
      if (us > Number.MAX_SAFE_INTEGER) return Number.POSITIVE_INFINITY
      const [first = Number.POSITIVE_INFINITY] = ordinalsOf(await ask(reading.firstFrom, Math.max(us, 0)))
      return first
    },
    page: async (ordinals, mostBytes) => {
      const rows = await ask(reading.page, ordinals, mostBytes)
      const cut = rows.findIndex(isWithoutBox)
      const whole = cut === -1 ? rows.length : cut
      return {
        documents: rows.slice(0, whole).map(row => documentOf(kind, tenant, row)),
        rest: rows.slice(whole).map(placeOf),
      }
    },
  }
}
