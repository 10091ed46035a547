/** Log fields are names, numbers and ids of ours; nothing a caller sent is ever passed here. */
export type LogFields = Record<string, string | number | boolean | undefined>

export interface Log {
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
}

/** One JSON object a line, so that any collector can read it. */
export function createLog(write: (line: string) => void): Log {
  const at = (level: string) => (event: string, fields?: LogFields) =>
    write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`)
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

export const silentLog: Log = { info() {}, warn() {}, error() {} }

/**
 * What may be said of an unexpected error: its class, its code and the places in our own files where it
 * came by. Never its message, which may quote a value.
 */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error }
  const code = (error as { code?: unknown }).code
  const frames = (error.stack ?? '')
    .split('\n')
    .map(line => /\bat\s+(\S+)?.*?([\w.-]+\.[cm]?[jt]s:\d+)/.exec(line))
    .filter(match => match !== null)
    .map(match => `${match[1] ?? ''}@${match[2]}`)
  return {
    error: error.name,
    code: typeof code === 'string' ? code : undefined,
    where: frames.slice(0, 6).join(' < '),
  }
}
