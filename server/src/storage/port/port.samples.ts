import { createHash } from 'node:crypto'
import type { Test } from 'tap'
import { ClearingCache } from '../../base/cache.ts'
import {
  type CommitResult,
  type Digest,
  type FindOptions,
  type OpenEngine,
  type Query,
  type StoredDocument,
  sealedAs,
  type Write,
  type Written,
} from './port.ts'

/** Sealed-looking documents for the store's own tests. */

export const tenantA = '11111111-1111-4111-8111-111111111111'
export const tenantB = '22222222-2222-4222-8222-222222222222'

const digests = new ClearingCache<string, Digest>(100_000)

/** A digest that stands for a name; the same for the same name. */
export function digest(name: string | number): Digest {
  return digests.of(
    String(name),
    text => createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url') as Digest,
  )
}

export interface Sample {
  readonly kind?: Write['kind']
  readonly tenant?: string
  readonly terms?: readonly (string | number)[]
  readonly uniques?: readonly (string | number)[]
  readonly dueMs?: number
  readonly box?: Uint8Array
}

function place(id: string | number, { kind = 'token', tenant = tenantA }: Sample) {
  return { kind, tenant, id: digest(id) }
}

function content(id: string | number, { terms = [], uniques = [], dueMs, box }: Sample) {
  return {
    terms: terms.map(digest),
    uniques: uniques.map(digest),
    ...sealedAs(box ?? new TextEncoder().encode(`box of ${id}`)),
    ...(dueMs === undefined ? {} : { dueMs }),
  }
}

export function insert(id: string | number, sample: Sample = {}): Write {
  return { type: 'insert', ...place(id, sample), ...content(id, sample) }
}

export function replace(id: string | number, version: number, sample: Sample = {}): Write {
  return { type: 'replace', version, ...place(id, sample), ...content(id, sample) }
}

export function remove(id: string | number, version?: number, sample: Sample = {}): Write {
  const write = { type: 'remove', ...place(id, sample) } as const
  return version === undefined ? write : { ...write, version }
}

export function expect(id: string | number, version: number, sample: Sample = {}): Write {
  return { type: 'expect', version, ...place(id, sample) }
}

/** The write that puts a document in place as it was elsewhere. */
export function restore(id: string | number, written: Written, sample: Sample = {}): Write {
  return { type: 'restore', ...written, ...place(id, sample), ...content(id, sample) }
}

export function term(name: string | number): Query {
  return { op: 'term', term: digest(name) }
}

export const everything: FindOptions = { nowMs: 0, offset: 0, limit: 1_000_000 }

/** Commits what must succeed. */
export async function mustCommit(
  store: OpenEngine,
  writes: readonly Write[],
  nowUs = 1,
): Promise<CommitResult> {
  const result = await store.commit(writes, nowUs)
  if (!result.ok) throw new Error(`the commit failed: ${JSON.stringify(result.conflict)}`)
  return result
}

/** Defines a case, which gets an empty store of its own. */
export type Define = (name: string, run: (t: Test, store: OpenEngine) => Promise<void>) => void

export const nowMs = 1_000_000
export const get = (store: OpenEngine, ...ids: (string | number)[]) =>
  store.get('token', tenantA, ids.map(digest))
export const versionOf = async (store: OpenEngine, id: string) => (await get(store, id))[0]?.version ?? 0
export const find = (
  store: OpenEngine,
  query: Query,
  options: Partial<typeof everything> = {},
  sample: Sample = {},
) => store.find(sample.kind ?? 'token', sample.tenant ?? tenantA, query, { ...everything, ...options })
export const idsOf = (documents: readonly StoredDocument[]) => documents.map(document => document.id)
export const foundIds = async (...args: Parameters<typeof find>) => idsOf((await find(...args)).documents)
export const conflict = (write: number, reason: string, holder?: string) => ({
  ok: false,
  conflict: holder === undefined ? { write, reason } : { write, reason, holder: digest(holder) },
})
