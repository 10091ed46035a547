import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { machineMs } from './time/real-time.ts'

/** Names, numbers and ids of ours, and never a value that a caller sent. */
export type LogFields = Record<string, string | number | boolean | undefined>

export interface Log {
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
  /** The least severe level that is written; without it, all are. */
  readonly level?: LogLevel
}

/** From the most severe to the least. */
export const logLevels = ['error', 'warn', 'info'] as const

export type LogLevel = (typeof logLevels)[number]

/** True if the log writes lines of this level, so that it is worth collecting their fields. */
export function logs(log: Log, level: LogLevel): boolean {
  return log !== silentLog && logLevels.indexOf(level) <= logLevels.indexOf(log.level ?? 'info')
}

/** Returns a JSON object and the end of its line. */
export const logLine = (level: LogLevel, event: string, fields?: LogFields): string =>
  `${JSON.stringify({ time: new Date(machineMs()).toISOString(), level, event, ...fields })}\n`

/** Writes one JSON object per line. @param least the least severe level that is written */
export function createLog(write: (line: string, level: LogLevel) => void, least: LogLevel = 'info'): Log {
  const at = (level: LogLevel) =>
    logLevels.indexOf(level) > logLevels.indexOf(least)
      ? () => {}
      : (event: string, fields?: LogFields) => write(logLine(level, event, fields), level)
  return { info: at('info'), warn: at('warn'), error: at('error'), level: least }
}

export const silentLog: Log = { info() {}, warn() {}, error() {} }

/**
 * Describes an unexpected error for the log: its class, its code and the places of its stack in our own files. Omits
 * its message, which may quote a value.
 */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error }
  const { code: own, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  const code = own ?? cause?.code
  const frames = framesOf(error)
    .map(frameName)
    .filter(name => name !== undefined)
  return {
    error: error.name,
    code: typeof code === 'string' ? code : undefined,
    where: frames.slice(0, 6).join(' < '),
  }
}

/** Returns the lines of the stack below the message, which may have several lines itself. */
function framesOf({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message) + message.length
  return stack.slice(start, start + longestStack).split('\n')
}
const longestStack = 10_000

/** Returns a name such as `createToken@create.ts:27`; `undefined` if the line names no file. */
function frameName(line: string): string | undefined {
  const frame = line.trim()
  if (!frame.startsWith('at ')) return undefined
  const called = frame.indexOf(' (')
  const place = frame.slice(called < 0 ? 3 : called + 2).replace(/^async /, '')
  const [, file, row, column] = /^((?:file:\/\/)?\/?[^()]*\.[cm]?[jt]sx?):(\d+):(\d+)\)?$/.exec(place) ?? []
  if (file === undefined || /^node:/.test(file)) return undefined
  // Bundlers put a line before the name of a class that names itself.
  const name = called < 0 ? '' : frame.slice(3, called).replace(/(^|\s)_(?=[A-Z]\w*\.)/, '$1')
  return `${name}@${sourcePlace(file, Number(row), Number(column))}`
}

/** Source maps of built files. Read when an error is described for the first time, as each start would be slower. */
const maps = new Map<string, SourceMap | undefined>()

function mapOf(path: string): SourceMap | undefined {
  if (!maps.has(path)) maps.set(path, readMap(path))
  return maps.get(path)
}

function readMap(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')))
  } catch {
    return undefined
  }
}

/**
 * Returns the name and line of the source that a place in a built file was made from, such as `create.ts:27`: the built
 * server is a bundle, whose names and lines mean nothing to a reader. A file without a source map is named itself.
 */
export function sourcePlace(file: string, line: number, column: number): string {
  const path = file.startsWith('file:') ? fileURLToPath(file) : file
  const entry = mapOf(path)?.findEntry(line - 1, column - 1)
  return entry && 'originalSource' in entry
    ? `${basename(entry.originalSource)}:${entry.originalLine + 1}`
    : `${basename(path)}:${line}`
}
