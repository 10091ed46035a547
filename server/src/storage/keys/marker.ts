import type { Random } from '../../base/random.ts'
import { BoxError, open, type SealingKey, seal } from '../../crypto/envelope.ts'
import type { Address, Content, Digest, StoredDocument } from '../port.ts'
import { copyAddress, rootTenant, rotationAddress } from './keyring.ts'

/**
 * What stands beside the keys of the tenants while a command has the store half done: the keyring refuses to
 * open such a store. It is sealed under the master key the store is going to have, so that only the same keys
 * can finish what was cut off.
 */
export interface Marker {
  readonly address: Address
  content(key: SealingKey, facts: Uint8Array, random: Random): Content
  /** The facts that the work was begun with, or `undefined` where it was begun with another key. */
  open(key: SealingKey, document: StoredDocument): Uint8Array | undefined
}

function markerAt(id: Digest, context: string): Marker {
  return {
    address: { kind: 'tenant', tenant: rootTenant, id },
    content: (key, facts, random) => ({ terms: [], uniques: [], box: seal(key, context, facts, random) }),
    open(key, document) {
      try {
        return open(key, context, document.box)
      } catch (error) {
        if (error instanceof BoxError) return undefined
        throw error
      }
    },
  }
}

export const rotationMarker = markerAt(rotationAddress, 'master-key-rotation')
export const copyMarker = markerAt(copyAddress, 'copy')
