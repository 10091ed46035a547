const forbidden = /[#/\\+?[\]|&=%<>{}^\p{Cc}]/u

/** The rule for ids in one place: 3 to 400 characters, none that would need care in a URL or a query. */
// Requirements: TOK-504
export function isTokenId(id: string): boolean {
  return id.length >= 3 && id.length <= 400 && !forbidden.test(id) && id.isWellFormed()
}
