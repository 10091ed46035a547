import type { Random } from '../../base/random.ts'
import { open, type SealingKey, seal } from '../../crypto/envelope.ts'
import { type Address, type Digest, type NewContent, type StoredDocument, sealedAs } from '../port/port.ts'
import { copyAddress, rootTenant, rotationAddress } from './keyring.ts'

/**
 * A document that marks the store as half done by a command. The keyring refuses to open a marked store. It is
 * sealed under the master key that the store is going to have, so that only the same keys can finish the command.
 */
interface Marker {
  readonly address: Address
  content(key: SealingKey, facts: Uint8Array, random: Random): NewContent
  /** Returns the facts recorded when the command began; `undefined` if it began with another key. */
  open(key: SealingKey, document: StoredDocument): Uint8Array | undefined
}

function markerAt(id: Digest, context: string): Marker {
  return {
    address: { kind: 'tenant', tenant: rootTenant, id },
    content: (key, facts, random) => ({
      terms: [],
      uniques: [],
      ...sealedAs(seal(key, context, facts, random)),
    }),
    open: (key, document) => open(key, context, document.box),
  }
}

export const rotationMarker = markerAt(rotationAddress, 'master-key-rotation')
export const copyMarker = markerAt(copyAddress, 'copy')
