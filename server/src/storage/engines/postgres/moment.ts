import { type Block, decodeBlock } from '../../index/bits.ts'
import type { Moment } from '../../index/search.ts'
import { type DocumentKind, digestOfUuid } from '../../port/port.ts'
import { numberOf } from './kinds.ts'
import { type Ask, bytesOf, documentOf, isWithoutBox, placeOf, type Row, uuidsOf } from './rows.ts'
import { reading, type Statement } from './sql.ts'

/** @param bits nothing where a term has no block */
function blocksIn(bits: string | null | undefined): Map<number, Block> {
  const blocks = new Map<number, Block>()
  const bytes = bytesOf(bits ?? '')
  for (let at = 0; at < bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at + 4)
    blocks.set(bytes.readUInt32BE(at), decodeBlock(bytes.subarray(at + 8, end)))
    at = end
  }
  return blocks
}

/** A collection as a transaction sees it, for a search. Statements of one step are sent without waiting for each other. */
export function momentOf(asking: Ask, kind: DocumentKind, tenant: string): Moment {
  const ask = (statement: Statement, ...values: unknown[]) =>
    asking(statement, [tenant, numberOf(kind), ...values])
  const ordinalsOf = (rows: readonly Row[]) => rows.map(([ordinal]) => Number(ordinal))
  return {
    blocks: async terms => {
      const rows = await ask(reading.blocks, uuidsOf(terms))
      return new Map(rows.map(([term = '', bits]) => [digestOfUuid(term), blocksIn(bits)]))
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
