// Only in CI: it runs the suite to make vectors.
// In a process of its own: it takes long.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import tap from 'tap'
// @ts-expect-error: an example without types
import { play } from '../../examples/vectors/play.mjs'
import { readParsed } from '../../src/files.ts'
import type { Fetch } from '../../src/harness/transport.ts'
import { cases } from '../../src/run.ts'
import { matching } from '../../src/selection.ts'
import { openReference } from '../_reference.ts'
import { allMutants } from '../mutants.ts'
import { makeVectors, textOf } from './all.ts'
import { settings } from './texts.ts'
import type { Vector } from './vector.ts'

// Machines that run other tests at the same time are slow.
tap.setTimeout(600_000)
tap.comment('timeout=600000')

const root = new URL('../../', import.meta.url)

/** Mutants that each differ from our server in another kind of response. */
const mutants = [
  'trims-texts',
  'escapes-markup',
  'rounds-to-six-decimals',
  'unauthorized-create-stores',
  'finds-a-prefix-of-an-index',
  'ids-by-prefix',
  'cvc-for-65-minutes',
  'reveals-on-create',
  'duplicate-shows-all',
  'put-merges',
].map(name => {
  const mutant = allMutants.get(name)
  if (!mutant) throw new Error(`no mutant ${name}`)
  return { name, ...mutant }
})

/** The vector that the guide shows. */
const shown = 'TOK-048.deep'
/** One whose mask has a filter. */
const filtering = 'TOK-007.a'
/** One that the command is to play. */
const simple = 'DAT-001.a'
const named = new Set([shown, filtering, simple, ...mutants.flatMap(({ failing }) => failing)])
// `npm run release` makes all.
const made = await makeVectors((one, index) => named.has(one.id) || index % 12 === 0)

/** Plays vectors against a new server, or one with a fault. Returns what did not meet them, by id. */
async function played(vectors: readonly Vector[], mutant?: (typeof mutants)[number]) {
  const { target, close } = await openReference()
  const fetch: Fetch = mutant?.change(target.fetch, target) ?? target.fetch
  const keys = [
    target.privateKey,
    target.publicKey,
    target.managementKey,
    target.otherPrivateKey,
    target.otherManagementKey,
  ]
  const values = Object.fromEntries(settings.map((name, index) => [name, keys[index]]))
  const advance = (ms: number) =>
    fetch(new Request(target.clockUrl ?? '', { method: 'POST', body: JSON.stringify({ advance_ms: ms }) }))
  const problems: Record<string, string> = {}
  for (const vector of vectors) {
    const problem = await play(vector, { baseUrl: target.baseUrl, values, fetch, advance, lag: 0 })
    if (problem !== undefined) problems[vector.id] = problem
  }
  await close()
  return problems
}

tap.test(
  'cases as data are met by our server, played by a program that has nothing of the suite',
  async t => {
    t.ok(made.vectors.length > 50, `${made.vectors.length} vectors`)
    t.same(await played(made.vectors), {})
    const text = await readFile(new URL('examples/vectors/play.mjs', root), 'utf8')
    const imports = [...text.matchAll(/from '([^']+)'/g)].map(([, from]) => from)
    const found = imports.length > 3 && imports.every(from => from?.startsWith('node:'))
    t.ok(found, 'the player imports only Node')
  },
)

tap.test('cases as data expect what the cases expect: they notice the same faults', async t => {
  for (const mutant of mutants) {
    const own = made.vectors.filter(({ id }) => mutant.failing.includes(id))
    t.ok(own.length > 0, `${mutant.name} has a vector`)
    t.same(
      Object.keys(await played(own, mutant)),
      own.map(({ id }) => id),
      `${mutant.name} is noticed`,
    )
  }
})

tap.test('a schema describes the data', async t => {
  const schema = JSON.parse(await readFile(new URL('vectors.schema.json', root), 'utf8'))
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema)
  t.ok(validate(made), JSON.stringify(validate.errors?.slice(0, 3)))
  const [first] = made.vectors
  t.notOk(validate({ ...made, vectors: [{ ...first, steps: [{ advance_ms: 'soon' }] }] }), 'the control')
  t.same(JSON.parse(textOf(made)), made, 'a line for each vector is the same data')
  const guide = await readFile(new URL('GUIDE.md', root), 'utf8')
  const [, example = ''] = /```json\n(\{\n {2}"id"[\s\S]*?)```/.exec(guide) ?? []
  const found = JSON.parse(example)
  t.same(
    found,
    made.vectors.find(({ id }) => id === shown),
    'the guide shows one as it is',
  )
  const table = [...guide.matchAll(/^\| (`[^|]+`) \| (it[^|]*) \|$/gm)].flatMap(([, ids = '', reason]) =>
    [...ids.matchAll(/`([^`]+)`/g)].map(([, id = '']) => ({ id, reason })),
  )
  t.ok(table.length > 5, 'the guide lists those that are left out')
  const known = new Set([...made.vectors.map(({ id }) => id), ...Object.keys(made.left_out)])
  for (const one of cases.filter(({ id }) => known.has(id))) {
    const { reason } = table.find(({ id }) => matching(id, one)) ?? {}
    t.equal(made.left_out[one.id], reason, `the guide says if and why ${one.id} is left out`)
  }
})

tap.test('cases of core use the filters of core only', async t => {
  const filters = readParsed('expressions') as readonly { filter: string; profile?: string }[]
  const ofCore = new Set(filters.filter(({ profile }) => profile === 'core').map(({ filter }) => filter))
  const used = [...JSON.stringify(made.vectors).matchAll(/\{\{([^}]*)\}\}/g)].flatMap(([, inside = '']) =>
    inside
      .split('|')
      .slice(1)
      .map(part => part.trim().split(':')[0] ?? ''),
  )
  t.ok(used.length > 0, `${used.length} filters`)
  const left = used.filter(name => !ofCore.has(name))
  t.same(left, [])
})

tap.test('the command of the player says what is met, and skips what lacks a key', async t => {
  const { vault, target, close } = await openReference()
  t.teardown(close)
  const { port } = await vault.listen()
  const folder = t.testdir({})
  const file = join(folder, 'vectors.json')
  const one = made.vectors.find(({ id }) => id === simple)
  const managed = made.vectors.find(({ needs }) => needs.some(name => name === 'management_key'))
  await writeFile(file, textOf({ ...made, vectors: [one, managed].filter(found => found !== undefined) }))
  const program = fileURLToPath(new URL('examples/vectors/play.mjs', root))
  const command = (key: string) =>
    promisify(execFile)(process.execPath, [program, file], {
      env: { BASE_URL: `http://127.0.0.1:${port}`, PRIVATE_KEY: key },
    }).then(
      ({ stdout }) => ({ stdout, code: 0 }),
      (error: { stdout: string; code: number }) => error,
    )
  const { stdout, code } = await command(target.privateKey)
  t.equal(code, 0, stdout)
  t.match(stdout, /^ok - DAT-001\.a .*$/m)
  t.match(stdout, /# SKIP management_key$/m)
  const refused = await command('key_prv_other')
  t.equal(refused.code, 1)
  t.match(
    refused.stdout,
    /^not ok - DAT-001\.a .*\n {2}# step 1, POST \/tokens: expected the status 2xx, found 401$/m,
  )
})
