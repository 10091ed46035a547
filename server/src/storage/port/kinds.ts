/** The kinds of document. A kind and a tenant together make a collection, the unit of order and search. */
export const documentKinds = [
  'tenant',
  'application',
  'key',
  'token',
  'token-cvc',
  'formula',
  'reactor',
  'session',
  'nonce',
  'job',
  'job-content',
  'idempotency',
  'deduplication',
  'audit',
  'setting',
] as const
export type DocumentKind = (typeof documentKinds)[number]

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
