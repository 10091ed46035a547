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
  const frames = framesOf(error)
    .map(frameName)
    .filter(name => name !== undefined)
  return {
    error: error.name,
    code: typeof code === 'string' ? code : undefined,
    where: frames.slice(0, 6).join(' < '),
  }
}

/** The lines of the stack below the message, which may have lines of its own. */
function framesOf({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message) + message.length
  return stack.slice(start, start + longestStack).split('\n')
}
const longestStack = 10_000

/** Such as `createToken@create.ts:27`; `undefined` for what is not a place in a file. */
function frameName(line: string): string | undefined {
  const frame = line.trim()
  if (!frame.startsWith('at ')) return undefined
  const file = /^[\w.-]+\.[cm]?[jt]s:\d+/.exec(frame.slice(frame.lastIndexOf('/') + 1))?.[0]
  const called = frame.indexOf(' (')
  return file && `${called < 0 ? '' : frame.slice(3, called)}@${file}`
}
