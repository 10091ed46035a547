import { bridge } from './host.child.ts'

const deepest = 4
const longest = 8_192

/** Returns a value as readable text. Runs getters of the formula, which count towards its time limit. */
export function show(value: unknown, depth = 0): string {
  if (typeof value === 'string') return depth === 0 ? value : JSON.stringify(value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'symbol') return value.toString()
  if (typeof value === 'function') return '[function]'
  if (typeof value !== 'object' || value === null) return `${value}`
  if (depth >= deepest) return Array.isArray(value) ? '[…]' : '{…}'
  try {
    return showObject(value, depth)
  } catch {
    return '[object]'
  }
}

function showObject(value: object, depth: number): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`
  if (value instanceof Date) return value.toJSON() ?? 'Invalid Date'
  if (value instanceof Map) return `Map ${list([...value.entries()].slice(0, 100), depth)}`
  if (value instanceof Set) return `Set ${list([...value].slice(0, 100), depth)}`
  if (Array.isArray(value)) return list(value.slice(0, 100), depth)
  const members = Object.entries(value).slice(0, 100)
  let text = ''
  for (const [name, member] of members) {
    if (text.length > longest) break
    text += `${text === '' ? '' : ', '}${name}: ${show(member, depth + 1)}`
  }
  return `{ ${text} }`
}

function list(values: readonly unknown[], depth: number): string {
  let text = ''
  for (const value of values) {
    if (text.length > longest) break
    text += `${text === '' ? '' : ', '}${show(value, depth + 1)}`
  }
  return `[ ${text} ]`
}

const at =
  (level: string) =>
  (...values: unknown[]): void =>
    bridge.print(level, values.map(value => show(value)).join(' '))

export const printers = {
  debug: at('debug'),
  log: at('log'),
  info: at('info'),
  warn: at('warn'),
  error: at('error'),
  trace: at('debug'),
  dir: at('log'),
  table: at('log'),
}
