// Only at night: it builds the server with mutants.
// In a process of its own: it builds the server with its mutants and runs it in a thread.
import { readdirSync, readFileSync } from 'node:fs'
import tap from 'tap'
import { contract } from '../_reference.ts'
import { buildMutants } from './build.ts'
import { instrument } from './instrument.ts'
import { isMutated, mutatedFiles } from './places.ts'
import { MutantRunner } from './runner.ts'
import { validatorMutants } from './validator-mutants.ts'
import { wireMutants } from './wire.ts'

const sources = new URL('../../../server/src/', import.meta.url)

tap.test('there are at least 600 mutants, with names of their own', async t => {
  const files = (readdirSync(sources, { recursive: true }) as string[]).filter(isMutated)
  const made = files.flatMap(
    file => instrument(file, readFileSync(new URL(file, sources), 'utf8'), 0).mutants,
  )
  const { mutants: validators } = validatorMutants(new URL('generated/requests.json', sources))
  t.ok(validators.length >= 100, `${validators.length} mutants of the contract`)
  const names = [...made, ...validators]
    .map(({ id }) => id)
    .concat(wireMutants(contract).map(({ name }) => name))
  t.ok(names.length >= 600, `${names.length} mutants`)
  t.equal(new Set(names).size, names.length)
  for (const file of mutatedFiles) t.ok(files.includes(file), `${file} exists`)
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
  const others = mutants.map(({ id }, number) => [id, run(number)] as const)
  t.equal(others.find(([id]) => id.endsWith('list.length > 2 → never'))?.[1], 'few,few')
  t.equal(others.find(([id]) => id.endsWith('2 → 3'))?.[1], 'few,few')
})

tap.test('mutants of code, contract and responses are killed by the cases that are about them', async t => {
  const built = await buildMutants()
  const runner = new MutantRunner(built.program)
  t.teardown(() => runner.close().then(() => built.remove()))
  const killer = async (name: string, ids: readonly string[]) => {
    const source = built.mutants.findIndex(({ id }) => id === name)
    const trial = { name, cases: ids, ...(source < 0 ? {} : { source }) }
    return (await runner.attempt(trial)).by
  }
  const never = 'access/rules.ts deciderOf: !found → turned'
  t.equal(await killer(never, ['DAT-001.a', 'AUT-003.a']), 'DAT-001.a', 'one of the code')
  t.equal(await killer('wire tokens.get: data left out', ['TOK-025.a']), 'TOK-025.a', 'one of a response')
  const limit = built.mutants.find(({ id }) => id === 'contract Metadata #/maxProperties left out')?.id ?? ''
  const type = 'TOK-541.create-token'
  const by = await killer(limit, [type, 'TYP-505.a'])
  t.match(by, /TOK-541|TYP-505/, 'one of the contract')
  t.equal(await killer('none', ['TOK-025.a', type]), undefined, 'no mutant, no failure')
})
