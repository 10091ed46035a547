import { nextTurn } from '../base/turn.ts'
import type { DocumentKind, Query } from '../storage/port.ts'
import type { OpenedRecord, RecordValue, TenantStore } from '../storage/records/sealed.ts'

interface Named extends RecordValue {
  readonly name: string
}

/** How many records are open at a time, and between which others have their turn. */
const openAtATime = 20

/**
 * Whether a name fits a filter, without regard to case: `*` is any run of characters, and a filter without one
 * may stand anywhere in the name. Takes time that the lengths bound, whatever the filter.
 */
// Requirements: FOR-012, FOR-505, REA-008
export function nameFilter(filter: string): (name: string) => boolean {
  const lower = filter.toLowerCase()
  if (!lower.includes('*')) return name => name.toLowerCase().includes(lower)
  const [first = '', ...others] = lower.split('*')
  const last = others.pop() ?? ''
  const middle = others.filter(part => part !== '')
  return given => {
    const name = given.toLowerCase()
    if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
      return false
    const end = name.length - last.length
    let from = first.length
    // The earliest place of each part leaves the most room for those behind it.
    for (const part of middle) {
      const at = name.indexOf(part, from)
      if (at < 0 || at + part.length > end) return false
      from = at + part.length
    }
    return true
  }
}

/**
 * Names are sealed, so a filter has to open every record of the collection: time grows with their number, about
 * 30 µs each, and ten times that with 50 kB of code. What is held meanwhile does not: of the records that match
 * only id and time are kept. A record that does not open has no name, and is passed over.
 */
export async function findByName(
  store: TenantStore,
  kind: DocumentKind,
  query: Query,
  matches: (name: string) => boolean,
  nowMs: number,
): Promise<{ readonly id: string; readonly createdUs: number }[]> {
  const found: { id: string; createdUs: number }[] = []
  for (let offset = 0; ; offset += openAtATime) {
    const { total, records }: { total: number; records: OpenedRecord<Named>[] } =
      await store.findReadable<Named>(
        kind,
        query,
        // Oldest first, so that one which is made meanwhile moves none of those that were there.
        { nowMs, offset, limit: openAtATime, oldestFirst: true },
      )
    for (const { value, createdUs } of records)
      if (matches(value.name)) found.push({ id: value.id, createdUs })
    if (offset + openAtATime >= total) return found
    await nextTurn()
  }
}
