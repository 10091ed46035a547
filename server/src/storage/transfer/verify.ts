import { digestOfFacts } from '../../crypto/digest.ts'
import type { SealingKey } from '../../crypto/envelope.ts'
import { rootTenant, unwrapKeys } from '../keys/keyring.ts'
import { copyMarker } from '../keys/marker.ts'
import { documentKinds, type StoredDocument } from '../port/port.ts'
import { CopyDiffers } from './refusal.ts'
import type { Collection, Documents } from './walk.ts'

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
 * Reads two sides, collection by collection, and compares a digest of each document: its version,
 * times, terms, uniques and box; for the keys of tenants, the keys instead of their box.
 * @throws {CopyDiffers} at the first document that is missing, different or not in the source
 */
export async function compareStores(
  from: Side,
  to: Side,
  onCompared: (documents: number) => void = () => {},
): Promise<Compared> {
  const cutOff: string[] = []
  let documents = 0
  let tenants = 0
  for await (const tenant of from.documents.tenants()) {
    if (tenant !== rootTenant) tenants++
    for (const kind of documentKinds) {
      const before = documents
      documents += await compareCollection(from, to, { kind, tenant }, cutOff, of => onCompared(before + of))
    }
  }
  return { documents, tenants, cutOff }
}

async function compareCollection(
  from: Side,
  to: Side,
  collection: Collection,
  cutOff: string[],
  onCompared: (documents: number) => void,
): Promise<number> {
  const copies = documentsOf(to.documents, collection)
  let count = 0
  for await (const document of documentsOf(from.documents, collection)) {
    if (document.version === 0) {
      cutOff.push(codeOf(document))
      continue
    }
    const { value: copy } = await copies.next()
    if (copy?.version === 0) throw new CopyDiffers(`${codeOf(copy)} was cut off`)
    if (!copy || copy.createdUs > document.createdUs) throw new CopyDiffers(`${codeOf(document)} is missing`)
    if (copy.createdUs < document.createdUs) throw new CopyDiffers(`${codeOf(copy)} is not in the source`)
    if (digestOf(document, from.key) !== digestOf(copy, to.key)) {
      throw new CopyDiffers(`${codeOf(document)} differs`)
    }
    onCompared(++count)
  }
  const { value: more } = await copies.next()
  if (more) throw new CopyDiffers(`${codeOf(more)} is not in the source`)
  return count
}

async function* documentsOf(
  documents: Documents,
  collection: Collection,
): AsyncGenerator<StoredDocument, undefined> {
  for await (const page of documents.collection(collection)) {
    for (const document of page) if (document.id !== copyMarker.address.id) yield document
  }
}

/** @throws {CopyDiffers} where the keys of a tenant do not open */
function digestOf(document: StoredDocument, key: SealingKey): string {
  const { kind, tenant, id, version, createdUs, modifiedUs, dueMs, terms, uniques } = document
  const facts = JSON.stringify([
    kind,
    tenant,
    id,
    version,
    createdUs,
    modifiedUs ?? null,
    dueMs ?? null,
    terms,
    uniques,
  ])
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
