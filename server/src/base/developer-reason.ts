/** The cause of a refusal as only a development server says it: it may name flags, addresses and times. */
export interface DeveloperReason {
  readonly forDevelopers: string
}

/** Returns the reason that an error has for developers, if there is one. */
export function developerReason({ cause }: Error): string | undefined {
  if (typeof cause !== 'object' || cause === null || !('forDevelopers' in cause)) return undefined
  return String(cause.forDevelopers)
}

/** Returns what the system says of a connection that failed. Node tries several addresses, and says nothing of all. */
export function connectionReason(cause: unknown): string | undefined {
  const { message, errors } = Object(cause) as { message?: unknown; errors?: readonly unknown[] }
  const all = Array.isArray(errors) ? errors.map(one => (one as Error).message) : [message]
  return all.filter(one => typeof one === 'string' && one !== '').join(', ') || undefined
}
