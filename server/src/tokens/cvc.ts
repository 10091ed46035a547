import { isJsonObject, type JsonValue } from '../base/json.ts'
import { BrokenRecord } from '../storage/broken-record.ts'
import type { Write } from '../storage/port.ts'
import type { OpenedRecord, RecordValue, TenantStore } from '../storage/records/sealed.ts'
import { type CvcReference, LiveToken, type TokenRecord } from './token.ts'

interface CvcRecord extends RecordValue {
  readonly cvc: string
}

/** Takes the code out of a card's data: it is kept apart, so that it can be erased apart. */
export function splitCvc(type: string, data: JsonValue): { data: JsonValue; cvc: string | undefined } {
  if (type !== 'card' || !isJsonObject(data)) return { data, cvc: undefined }
  const { cvc, ...rest } = data
  return { data: rest, cvc: typeof cvc === 'string' ? cvc : undefined }
}

export function insertCvc(store: TenantStore, reference: CvcReference, cvc: string): Write {
  const record: CvcRecord = { id: reference.id, cvc }
  return store.insert('token-cvc', record, { dueMs: reference.until_ms })
}

/** The writes that erase a code, if no sweep has done so already. */
export async function removeCvc(store: TenantStore, reference: CvcReference | undefined): Promise<Write[]> {
  return reference ? store.removal('token-cvc', reference.id) : []
}

// Requirements: DAT-009, LIM-001, TOK-511
export function isCvcLive(token: TokenRecord, nowUs: number): boolean {
  return token.cvc !== undefined && nowUs < token.cvc.until_ms * 1000
}

/** As `withCvc`, for lists: a token whose code does not open is left out, as it cannot be shown whole. */
export async function withReadableCvc(
  store: TenantStore,
  records: readonly OpenedRecord<TokenRecord>[],
  nowUs: number,
): Promise<LiveToken[]> {
  try {
    return await withCvc(store, records, nowUs)
  } catch (error) {
    if (!(error instanceof BrokenRecord)) throw error
  }
  const each = records.map(record => store.readable(() => withCvc(store, [record], nowUs)))
  return (await Promise.all(each)).flatMap(tokens => tokens ?? [])
}

/** Puts each card's code back among its data, while it may be read. @throws {BrokenRecord} */
export async function withCvc(
  store: TenantStore,
  records: readonly OpenedRecord<TokenRecord>[],
  nowUs: number,
): Promise<LiveToken[]> {
  const ids = records.flatMap(({ value }) => (value.cvc && isCvcLive(value, nowUs) ? [value.cvc.id] : []))
  if (ids.length === 0) return records.map(record => new LiveToken(record))
  const found = await store.getMany<CvcRecord>('token-cvc', ids)
  const codes = new Map(found.flatMap(record => (record ? [[record.value.id, record.value.cvc]] : [])))
  return records.map(record => {
    const { data, cvc: reference } = record.value
    const cvc = reference && codes.get(reference.id)
    return new LiveToken(record, cvc !== undefined && isJsonObject(data) ? { ...data, cvc } : data)
  })
}
