import type { DocumentKind, Query } from '../storage/port/port.ts'
import { allRecords } from '../storage/records/all-records.ts'
import type { RecordValue, TenantRecords } from '../storage/records/records.ts'

interface Named extends RecordValue {
  readonly name: string
}

/**
 * Compiles a filter on names, without regard to case: `*` matches any characters, and a filter without `*` matches anywhere
 * in the name. Its time is bounded by the lengths, whatever the filter.
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
    // The earliest match of each part leaves the most room for the following ones.
    for (const part of middle) {
      const at = name.indexOf(part, from)
      if (at < 0 || at + part.length > end) return false
      from = at + part.length
    }
    return true
  }
}

/**
 * Finds the records whose names match. Names are sealed, so this opens every record of the collection: about 30 µs each,
 * and ten times that with 50 kB of code. Memory does not grow with their number, as only ids and times of matches are held.
 * Records that cannot be opened are left out.
 */
export async function findByName(
  store: TenantRecords,
  kind: DocumentKind,
  query: Query,
  matches: (name: string) => boolean,
  nowMs: number,
): Promise<{ readonly id: string; readonly createdUs: number }[]> {
  const found: { id: string; createdUs: number }[] = []
  for await (const { value, createdUs } of allRecords<Named>(store, kind, query, nowMs))
    if (matches(value.name)) found.push({ id: value.id, createdUs })
  return found
}
