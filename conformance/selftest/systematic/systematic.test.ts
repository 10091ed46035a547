// Only at night: it instruments all files of the server that have mutants.
import { readdirSync, readFileSync } from 'node:fs'
import tap from 'tap'
import { isMutated } from './build.ts'
import { instrument } from './instrument.ts'

const sources = new URL('../../../server/src/', import.meta.url)

tap.test('mutants have names of their own', async t => {
  const files = (readdirSync(sources, { recursive: true }) as string[]).filter(isMutated)
  const names = files.flatMap(
    file => instrument(file, readFileSync(new URL(file, sources), 'utf8'), 0).mutants,
  )
  t.ok(names.length >= 600, `${names.length} mutants`)
  t.equal(new Set(names).size, names.length)
})

tap.test('an instrumented file does the same until one of its mutants is switched on', async t => {
  const source = `
    function size(list) {
      if (list.length > 2) return 'many'
      else if (list.length === 0) count(list)
      else return 'few'
      return list ?? 'none'
    }
    globalThis.sizes = [[1], [1, 2, 3]].map(size).join()`
  const { text, mutants } = instrument('sizes.ts', source, 0)
  const run = (active: number) => {
    const globals = { sizes: '' }
    new Function('globalThis', '__mutant', 'count', text)(
      globals,
      (n: number) => n === active,
      () => {},
    )
    return globals.sizes
  }
  t.equal(run(-1), 'few,many')
  const others = mutants.map((name, number) => [name, run(number)] as const)
  t.equal(others.find(([name]) => name.endsWith('list.length > 2 → never'))?.[1], 'few,few')
  t.equal(others.find(([name]) => name.endsWith('2 → 3'))?.[1], 'few,few')
})
