import { readFile, stat } from 'node:fs/promises'
import {
  type CardIssuers,
  CardIssuersRefused,
  cardIssuerLimits,
  parseCardIssuers,
} from '../tokens/card-issuers.ts'

/** Reads the operator's file of issuers, if one is named. @throws {CardIssuersRefused} */
export async function readCardIssuers(file: string | undefined): Promise<CardIssuers | undefined> {
  if (file === undefined) return undefined
  const unreadable = () => {
    throw new CardIssuersRefused(file, 'cannot be read')
  }
  const { size } = await stat(file).catch(unreadable)
  const { bytes } = cardIssuerLimits
  if (size > bytes) throw new CardIssuersRefused(file, `must not be larger than ${bytes} bytes`)
  return parseCardIssuers(file, await readFile(file, 'utf8').catch(unreadable))
}
