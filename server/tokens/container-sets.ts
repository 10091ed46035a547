import { containerSetKey } from '../search/terms.ts'
import type { TenantStore } from '../storage/sealed.ts'

/**
 * The registry of the container combinations a tenant's tokens have had.
 *
 * A caller may see a token only if all its containers are covered, which terms of single paths cannot say.
 * So each token of several containers carries one term for the whole set, and a caller's rights become an
 * OR over those registered sets that they cover. Tokens of one container need no entry.
 */
export interface ContainerSet {
  readonly id: string
  readonly containers: readonly string[]
}

const registered = new WeakMap<TenantStore, Set<string>>()

/** Makes sure the set is known before a token with it can be stored. An entry without a token does no harm. */
export async function registerContainerSet(
  store: TenantStore,
  containers: readonly string[],
  nowUs: number,
): Promise<void> {
  const key = containerSetKey(containers)
  if (key === undefined) return
  const known = registered.get(store) ?? new Set()
  registered.set(store, known)
  if (known.has(key)) return
  const set: ContainerSet = { id: key, containers: key.split(' ') }
  // A conflict says that it is there already, which is all that is wanted.
  await store.commit([store.insert('container-set', set)], nowUs)
  known.add(key)
}

interface Listed {
  readonly sets: (readonly string[])[]
  /** The stamp of the last one. */
  lastUs: number
}

const listed = new WeakMap<TenantStore, Listed>()

/**
 * All sets there are, in one list that grows: none is ever removed, so only those behind the last one are
 * read. One that does not open is left out: then fewer tokens are seen, never more.
 */
export async function listContainerSets(
  store: TenantStore,
  nowMs: number,
): Promise<readonly (readonly string[])[]> {
  const known = listed.get(store) ?? { sets: [], lastUs: 0 }
  listed.set(store, known)
  const { records } = await store.findReadable<ContainerSet>(
    'container-set',
    { op: 'all' },
    { nowMs, offset: 0, limit: Number.MAX_SAFE_INTEGER, afterUs: known.lastUs, oldestFirst: true },
  )
  for (const { value, createdUs } of records) {
    // Another request may have read the same ones meanwhile.
    if (createdUs <= known.lastUs) continue
    known.sets.push(value.containers)
    known.lastUs = createdUs
  }
  return known.sets
}
