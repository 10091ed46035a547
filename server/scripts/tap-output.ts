/** Numbers of assertions. */
export interface Counts {
  readonly total: number
  readonly pass: number
  readonly fail: number
  readonly skip: number
  readonly todo: number
}

const names = ['total', 'pass', 'fail', 'skip', 'todo'] as const
const none: Counts = { total: 0, pass: 0, fail: 0, skip: 0, todo: 0 }

/** Reads the counts that tap prints last: `# { total: 3, pass: 2, fail: 1 }`. */
export function readCounts(output: string): Counts {
  const line = /^# \{ (total: .*) \}$/m.exec(output)?.[1] ?? ''
  const numbers = new Map(line.split(', ').map(one => one.split(': ') as [string, string]))
  return Object.fromEntries(names.map(name => [name, Number(numbers.get(name) ?? 0)])) as unknown as Counts
}

export function sumCounts(all: readonly Counts[]): Counts {
  const sum = (name: keyof Counts) => all.reduce((total, counts) => total + counts[name], 0)
  return all.length === 0
    ? none
    : (Object.fromEntries(names.map(name => [name, sum(name)])) as unknown as Counts)
}

/** Spells counts as tap does. */
export function formatCounts(counts: Counts): string {
  const shown = names.filter(name => name === 'total' || counts[name] > 0)
  return `# { ${shown.map(name => `${name}: ${counts[name]}`).join(', ')} }`
}

/** Returns what failed, with its details: tests as a whole, without their assertions that passed. */
export function failuresOf(output: string): string {
  const failed: string[] = []
  let test: string[] = []
  let isDetail = false
  for (const line of output.split('\n')) {
    isDetail &&= line.startsWith('  ')
    if (isDetail) failed.push(line)
    else if (line.startsWith('ok ')) test = []
    else if (line.startsWith('not ok ')) {
      failed.push(...test.splice(0), line)
      isDetail = true
    } else if (!/^ *ok /.test(line)) test.push(line)
  }
  return failed.join('\n')
}

/** Returns why tests were skipped: each reason, and how many tests it concerns. */
export function skipsOf(output: string): Map<string, number> {
  const reasons = new Map<string, number>()
  for (const [, reason = ''] of output.matchAll(/^ *ok .*# SKIP (.*)$/gm)) {
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  return reasons
}
