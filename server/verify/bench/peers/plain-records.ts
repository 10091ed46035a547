/** What the peers on SQLite and PostgreSQL do with a record: a sealed box, and a keyed term for each value. */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

export interface Token {
  id: string
  type: string
  data: unknown
  metadata: Record<string, string>
  containers: string[]
  created_at: number
  modified_at: number
}

export type GivenToken = Partial<Token> & { readonly search_indexes?: unknown }

export const isIndexed = ({ search_indexes, type = 'token' }: GivenToken) =>
  search_indexes !== undefined || type !== 'token'

const key = randomBytes(32)
export function seal(value: unknown): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const sealed = cipher.update(JSON.stringify(value), 'utf8')
  return Buffer.concat([nonce, sealed, cipher.final(), cipher.getAuthTag()])
}
export function open(box: Buffer): Token {
  const cipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, 12)).setAuthTag(box.subarray(-16))
  return JSON.parse(cipher.update(box.subarray(12, -16), undefined, 'utf8') + cipher.final('utf8'))
}

export const termOf = (text: string) => createHmac('sha256', key).update(text).digest().subarray(0, 16)

/** @param indexes whether the data can be searched */
export function termsOf({ type, data, metadata, containers }: Token, indexes: boolean): Buffer[] {
  const texts = [`type ${type}`, `fingerprint ${JSON.stringify(data)}`]
  for (const [name, value] of Object.entries(metadata)) texts.push(`metadata.${name} ${value}`)
  for (const container of containers) {
    for (let end = 0; end !== -1; end = container.indexOf('/', end + 1))
      texts.push(`below ${container.slice(0, end + 1)}`)
  }
  if (indexes) texts.push(`data ${(data as { email?: string }).email ?? data}`)
  return [...new Set(texts)].map(termOf)
}
