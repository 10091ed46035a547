import { digestOfFacts } from '../../crypto/digest.ts'
import type { SealingKey } from '../../crypto/envelope.ts'
import { copyAddress, isTenantAddress, rootTenant, tenantAt, unwrapKeys } from '../keys/keyring.ts'
import { documentKinds, type StoredDocument } from '../port/port.ts'
import { CopyDiffers } from './refusal.ts'
import type { Documents } from './walk.ts'

/** Documents, and the master key that wraps the keys of tenants among them. */
export interface Side {
  readonly documents: Documents
  readonly key: SealingKey
}

export interface Compared {
  readonly documents: number
  /** Without the root. */
  readonly tenants: number
  /** Damaged documents (version 0) of the source: kind, tenant and address. */
  readonly cutOff: readonly string[]
}

/**
 * Reads two sides and compares a digest of each document: its version, times, terms, uniques and box; for the keys of
 * tenants, the keys instead of their box.
 * @throws {CopyDiffers} at the first document that is missing, different or not in the source
 */
export async function compareStores(
  from: Side,
  to: Side,
  onCompared: (documents: number) => void = () => {},
): Promise<Compared> {
  const cutOff: string[] = []
  const tenants = new Map([[rootTenant, 0]])
  const copies = documentsOf(to)
  let documents = 0
  for await (const document of documentsOf(from)) {
    if (document.version === 0) {
      cutOff.push(codeOf(document))
      continue
    }
    const { value: copy } = await copies.next()
    if (copy?.version === 0) throw new CopyDiffers(`${codeOf(copy)} was cut off`)
    const order = copy ? compareOrder(document, copy, tenants) : -1
    if (!copy || order < 0) throw new CopyDiffers(`${codeOf(document)} is missing`)
    if (order > 0) throw new CopyDiffers(`${codeOf(copy)} is not in the source`)
    if (digestOf(document, from.key) !== digestOf(copy, to.key)) {
      throw new CopyDiffers(`${codeOf(document)} differs`)
    }
    if (document.kind === 'tenant' && isTenantAddress(document.id))
      tenants.set(tenantAt(document.id), tenants.size)
    onCompared(++documents)
  }
  const { value: more } = await copies.next()
  if (more) throw new CopyDiffers(`${codeOf(more)} is not in the source`)
  return { documents, tenants: tenants.size - 1, cutOff }
}

async function* documentsOf({ documents }: Side): AsyncGenerator<StoredDocument, undefined> {
  for await (const page of documents()) {
    for (const document of page.documents) if (document.id !== copyAddress) yield document
  }
}

/** Returns a negative number if `one` comes first. @param tenants the place of each tenant */
function compareOrder(
  one: StoredDocument,
  other: StoredDocument,
  tenants: ReadonlyMap<string, number>,
): number {
  const places = [one, other].map(({ tenant, kind, createdUs }) => [
    tenants.get(tenant) ?? Number.MAX_SAFE_INTEGER,
    documentKinds.indexOf(kind),
    createdUs,
  ]) as [number[], number[]]
  const at = places[0].findIndex((value, part) => value !== places[1][part])
  return at === -1 ? 0 : (places[0][at] ?? 0) - (places[1][at] ?? 0)
}

/** @throws {CopyDiffers} where the keys of a tenant do not open */
function digestOf(document: StoredDocument, key: SealingKey): string {
  const { kind, tenant, id, version, createdUs, modifiedUs, dueMs, terms, uniques } = document
  const stamps = [version, createdUs, modifiedUs ?? null, dueMs ?? null]
  const facts = JSON.stringify([kind, tenant, id, ...stamps, terms, uniques])
  if (kind !== 'tenant') return digestOfFacts(facts, document.box)
  const keys = unwrapKeys(key, document)
  if (!keys) throw new CopyDiffers(`${codeOf(document)} does not open`)
  try {
    return digestOfFacts(facts, keys)
  } finally {
    keys.fill(0)
  }
}

const codeOf = ({ kind, tenant, id }: StoredDocument) => `${kind}/${tenant}/${id}`
