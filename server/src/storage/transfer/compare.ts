import { OperatorError } from '../../base/operator-error.ts'
import type { SealingKey } from '../../crypto/envelope.ts'
import { copyAddress, isTenantAddress, unwrapKeys } from '../keys/keyring.ts'
import type { StoredDocument } from '../port/port.ts'
import type { Documents } from './walk.ts'

/** Thrown where the copy differs from its source. The message tells where, in digests, and nothing of the content. */
class CopyDiffers extends OperatorError {
  override readonly name = 'CopyDiffers'

  constructor(what: string) {
    super(`the copy differs from its source: ${what}; empty the destination and copy again`)
  }
}

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
 * Reads two sides, which have the same order, and compares each document: its version, times, terms, uniques and box; for
 * the keys of tenants, the keys instead of their box.
 * @throws {CopyDiffers} at the first document that is missing, different or not in the source
 */
export async function compareStores(
  from: Side,
  to: Side,
  onCompared: (documents: number) => void = () => {},
): Promise<Compared> {
  const cutOff: string[] = []
  const copies = documentsOf(to)
  let documents = 0
  let tenants = 0
  for await (const document of documentsOf(from)) {
    if (document.version === 0) {
      cutOff.push(codeOf(document))
      continue
    }
    const { value: copy } = await copies.next()
    if (!copy || !isSame(document, from.key, copy, to.key))
      throw new CopyDiffers(`${codeOf(document)} is missing or differs`)
    if (document.kind === 'tenant' && isTenantAddress(document.id)) tenants++
    onCompared(++documents)
  }
  const { value: more } = await copies.next()
  if (more) throw new CopyDiffers(`${codeOf(more)} is not in the source`)
  return { documents, tenants, cutOff }
}

async function* documentsOf({ documents }: Side): AsyncGenerator<StoredDocument, undefined> {
  for await (const page of documents()) {
    for (const document of page.documents) if (document.id !== copyAddress) yield document
  }
}

function isSame(one: StoredDocument, oneKey: SealingKey, other: StoredDocument, otherKey: SealingKey) {
  if (factsOf(one) !== factsOf(other)) return false
  if (one.kind !== 'tenant') return Buffer.compare(one.box, other.box) === 0
  const [keys, copied] = [unwrapKeys(oneKey, one), unwrapKeys(otherKey, other)]
  const areSame = keys !== undefined && copied !== undefined && Buffer.compare(keys, copied) === 0
  keys?.fill(0)
  copied?.fill(0)
  return areSame
}

function factsOf(document: StoredDocument): string {
  const { kind, tenant, id, version, createdUs, modifiedUs, dueMs, terms, uniques } = document
  return JSON.stringify([kind, tenant, id, version, createdUs, modifiedUs, dueMs, terms, uniques])
}

const codeOf = ({ kind, tenant, id }: StoredDocument) => `${kind}/${tenant}/${id}`
