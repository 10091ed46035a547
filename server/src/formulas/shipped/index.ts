import { parseMicros } from '../../base/time/date-time.ts'
import { OpenedRecord } from '../../storage/records/records.ts'
import type { FormulaRecord } from '../formula.ts'
import { cardCheck } from './card-check.ts'
import { cardTokenizer } from './card-tokenizer.ts'

/** Early enough for these to stand behind all that anyone makes. */
const createdUs = parseMicros('2024-01-01T00:00:00.000000Z')

/**
 * Official formulas that are part of the server: in every vault, as this version has them. They are in no store,
 * so nothing has to put them there, and nobody can change or delete them. Nor can we: a reactor may be on one, so
 * a later version may change what is here, but takes nothing away.
 */
export const shippedFormulas: readonly OpenedRecord<FormulaRecord>[] = [cardCheck, cardTokenizer].map(
  (value, index) => new OpenedRecord(value, { version: 1, createdUs: createdUs + index }),
)

const byId = new Map(shippedFormulas.map(record => [record.value.id, record]))

export function shippedFormula(id: string): OpenedRecord<FormulaRecord> | undefined {
  return byId.get(id)
}
