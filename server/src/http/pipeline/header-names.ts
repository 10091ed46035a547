/** The names of our own headers, under the prefix of this server. */
export interface HeaderNames {
  /** In lower case, as requests have it. */
  readonly key: string
  /** In lower case. */
  readonly idempotency: string
  /** In lower case. Only if members may be in camelCase. */
  readonly members: string
  /** As responses have it, such as `SVC-TRACE-ID`. */
  readonly trace: string
  /** Of development servers only, as responses have it. */
  readonly warning: string
}

export function headerNamesOf(prefix: string): HeaderNames {
  const lower = prefix.toLowerCase()
  return {
    key: `${lower}-api-key`,
    idempotency: `${lower}-idempotency-key`,
    members: `${lower}-members`,
    trace: `${prefix}-TRACE-ID`,
    warning: `${prefix}-WARNING`,
  }
}
