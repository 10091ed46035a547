import { addressOf, rootTenant } from '../storage/keys/keyring.ts'
import { type DocumentKind, documentKinds, type Engine, type Write } from '../storage/port/port.ts'
import { allRecords } from '../storage/records/all-records.ts'
import type { Records, TenantRecords } from '../storage/records/records.ts'
import { beforeAll, walkCollection } from '../storage/transfer/walk.ts'
import { type KeyRecord, removeKey } from './keys.ts'
import { readDevelopmentTenant } from './tenant-settings.ts'

interface RemovedTenant {
  /** Records that this call removed. */
  readonly removed: number
  /** Damaged ones, which no engine can remove. */
  readonly left: number
}

/** Without these no key of the tenant works, and no server does its due work. */
const first: readonly DocumentKind[] = ['key', 'application', 'session', 'job', 'job-content']
const kinds = [...first, ...documentKinds.filter(kind => !first.includes(kind))]

/**
 * Removes a tenant: its wrapped keys first, and their bytes, so that nothing of it can be opened any more, and then all its
 * records, in batches. Servers may run. If it is interrupted, calling it again goes on.
 *
 * @param onRemoved called with the number of records removed so far
 */
export async function removeTenant(
  sealed: Records,
  tenant: string,
  nowUs: number,
  onRemoved: (records: number) => void = () => {},
): Promise<RemovedTenant> {
  const { engine } = sealed
  let removed = 0
  const remove = async (writes: Write[]) => {
    removed += await removeAll(engine, writes, nowUs)
    onRemoved(removed)
  }
  const keys = { kind: 'tenant', tenant: rootTenant, id: addressOf(tenant) } as const
  await remove([{ type: 'remove', ...keys }])
  await engine.compact()
  for (;;) {
    const [before, damaged] = [removed, new Set<string>()]
    for (const kind of kinds) {
      for await (const page of walkCollection(engine, { kind, tenant })) {
        for (const { id, version } of page) if (version === 0) damaged.add(`${kind} ${id}`)
        const sound = page.filter(({ version }) => version > 0)
        await remove(sound.map(({ id }) => ({ type: 'remove', kind, tenant, id })))
      }
    }
    await remove(await inRoot(sealed, tenant, nowUs))
    // Once more, for what requests that were under way have written meanwhile.
    if (removed === before) {
      await engine.compact()
      return { removed, left: damaged.size }
    }
  }
}

/** Commits removals, without those of documents that others removed first. Returns their number. */
async function removeAll(engine: Engine, writes: readonly Write[], nowUs: number): Promise<number> {
  for (let left = writes; ; ) {
    const result = await engine.commit(left, nowUs)
    if (result.ok) return left.length
    left = left.toSpliced(result.conflict.write, 1)
  }
}

/** Returns the removals of the tenant's records among those of the operator. */
async function inRoot(sealed: Records, tenant: string, nowUs: number): Promise<Write[]> {
  const root: TenantRecords = await sealed.root(nowUs)
  const writes: Write[] = []
  for await (const { value } of allRecords<KeyRecord>(root, 'key', { op: 'all' }, beforeAll)) {
    if (value.tenant === tenant) writes.push(removeKey({ root, store: root }, value.id))
  }
  if ((await readDevelopmentTenant(root))?.tenantId === tenant)
    writes.push(root.remove('setting', 'development'))
  return writes
}
