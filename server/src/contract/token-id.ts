import { limits } from '../generated/facts.ts'

const { least, most } = limits.tokenIdCharacters
const forbidden = /[#/\\+?[\]|&=%<>{}^\p{Cc}]/u

/** Describes an id that `isTokenId` accepts; to follow "must be". */
export const tokenIdRule = `an id of ${least} to ${most} characters, none of # / \\ + ? [ ] | & = % < > { } ^`

/** True if no character of the id needs care in a URL or a query. */
// Requirements: TOK-504
export function isTokenId(id: string): boolean {
  return id.length >= least && id.length <= most && !forbidden.test(id) && id.isWellFormed()
}
