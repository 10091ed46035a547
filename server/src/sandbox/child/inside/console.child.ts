import { bridge, natives } from './host.child.ts'
import { format, inspect } from './inspect.child.ts'

const deepest = 4
const mostGroups = 40

/** Returns the text of values. A line that is printed never makes a formula fail. */
function textOf(values: readonly unknown[]): string {
  try {
    return format(values, deepest)
  } catch {
    return values.map(value => (typeof value === 'string' ? value : inspect(value, deepest))).join(' ')
  }
}

/** As Node writes a time: `12.3ms`, `1.500s`. */
const durationOf = (ms: number) => (ms < 1000 ? `${Number(ms.toFixed(3))}ms` : `${(ms / 1000).toFixed(3)}s`)

function labelOf(label: unknown): string {
  try {
    return String(label)
  } catch {
    return 'default'
  }
}

/** Returns the console of one invocation, with all methods of Node's. Its counts, times and groups are its own. */
export function createConsole(): Record<string, (...values: unknown[]) => void> {
  const counts = new Map<string, number>()
  const begun = new Map<string, number>()
  let groups = 0
  const print = (level: string, text: string) => {
    const indent = '  '.repeat(Math.min(groups, mostGroups))
    bridge.print(level, indent === '' ? text : indent + text.replaceAll('\n', `\n${indent}`))
  }
  const at =
    (level: string) =>
    (...values: unknown[]): void =>
      print(level, textOf(values))
  const [log, warn] = [at('log'), at('warn')]
  const open = (...values: unknown[]): void => {
    if (values.length > 0) log(...values)
    groups++
  }
  const took = (method: string, given: unknown, values: readonly unknown[]): string => {
    const label = labelOf(given)
    const from = begun.get(label)
    if (from === undefined) warn(`No such label '${label}' for console.${method}()`)
    else log(`${label}: ${durationOf(natives.now() - from)}`, ...values)
    return label
  }
  return {
    debug: at('debug'),
    log,
    info: at('info'),
    warn,
    error: at('error'),
    trace: at('debug'),
    dir: value => print('log', inspect(value, deepest)),
    dirxml: log,
    table: value => log(value),
    assert(isTrue, ...values) {
      if (isTrue) return
      const [first, ...rest] = values
      if (typeof first === 'string') warn(`Assertion failed: ${first}`, ...rest)
      else warn('Assertion failed', ...values)
    },
    clear() {},
    count(given = 'default') {
      const label = labelOf(given)
      const count = (counts.get(label) ?? 0) + 1
      counts.set(label, count)
      log(`${label}: ${count}`)
    },
    countReset(given = 'default') {
      const label = labelOf(given)
      if (!counts.delete(label)) warn(`Count for '${label}' does not exist`)
    },
    group: open,
    groupCollapsed: open,
    groupEnd() {
      groups = Math.max(0, groups - 1)
    },
    time(given = 'default') {
      const label = labelOf(given)
      if (begun.has(label)) warn(`Label '${label}' already exists for console.time()`)
      else begun.set(label, natives.now())
    },
    timeEnd(given = 'default') {
      begun.delete(took('timeEnd', given, []))
    },
    timeLog: (given = 'default', ...values) => void took('timeLog', given, values),
    // In Node they do something only for a debugger.
    profile() {},
    profileEnd() {},
    timeStamp() {},
  }
}
