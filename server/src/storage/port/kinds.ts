/**
 * The kinds of document, and the letter by which engines keep each. Letters must never change, as data outlive this
 * table. A kind and a tenant together make a collection, the unit of order and search.
 */
const letters = {
  tenant: 't',
  application: 'a',
  key: 'k',
  token: 'o',
  'token-cvc': 'v',
  formula: 'f',
  reactor: 'r',
  session: 's',
  nonce: 'n',
  job: 'j',
  'job-content': 'p',
  idempotency: 'i',
  deduplication: 'd',
  audit: 'u',
  setting: 'e',
} as const
export type DocumentKind = keyof typeof letters
export const documentKinds = Object.keys(letters) as DocumentKind[]

const kinds = new Map<string, DocumentKind>(documentKinds.map(kind => [letters[kind], kind]))

export const letterOf = (kind: DocumentKind): string => letters[kind]
export const kindOfLetter = (letter: string): DocumentKind | undefined => kinds.get(letter)

/**
 * Kinds that requests read again and again: an engine may keep their documents in memory, sealed. Tokens are too
 * many: keeping each one that is read costs as much as reading it.
 */
export const oftenRead: ReadonlySet<DocumentKind> = new Set([
  'key',
  'application',
  'session',
  'setting',
  'formula',
  'reactor',
])

/** Kinds that every request reads and that hold no sensitive data: their opened records may stay in memory. */
export const keptOpen: ReadonlySet<DocumentKind> = new Set(['application', 'key', 'setting', 'session'])

/**
 * Kinds whose earlier states need not be erased: they hold no data of callers, and some are replaced every minute.
 */
export const notErased: ReadonlySet<DocumentKind> = new Set(['setting'])

/** Kinds whose ids are random UUIDs, each made for one insert. */
export const randomIds: ReadonlySet<DocumentKind> = new Set(['audit', 'token-cvc'])
