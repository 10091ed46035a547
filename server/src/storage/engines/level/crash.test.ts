// Only in CI: it kills processes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import t from 'tap'
import { loader, locateProgram } from '../../../../verify/support/process.ts'
import { digest, everything, tenantA, term } from '../../port/port.samples.ts'
import type { StoredDocument } from '../../port/port.ts'
import { LevelEngine } from './level-engine.ts'

/** The versions a document may have: that of the last answer, and those asked for after it. 0 is none. */
type Known = Map<string, Set<number>>

const child = fileURLToPath(locateProgram('server/src/storage/engines/level/_crash-writer.ts'))

/** Lets the child write, and kills it in the middle once it has had so many answers. */
async function writeAndKill(folder: string, round: number, answers: number, known: Known) {
  const facts = `${folder}/facts ${round}`
  const writer = spawn(process.execPath, [...loader, child, `${folder}/data`, facts, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(writer, 'close')
  let count = 0
  for await (const dots of writer.stdout) {
    count += dots.length
    if (count >= answers) writer.kill('SIGKILL')
  }
  // Its output may end before the process has let go of the folder.
  await closed
  const lines = (await readFile(facts, 'utf8')).split('\n')
  // A line cut off by the kill says nothing.
  for (const line of lines.slice(0, -1)) {
    const [what, id = '', version] = line.split(' ')
    const possible = known.get(id) ?? new Set([0])
    if (what === 'done') possible.clear()
    possible.add(Number(version))
    known.set(id, possible)
  }
}

async function compare(t: Test, folder: string, known: Known): Promise<void> {
  const store = await LevelEngine.open(`${folder}/data`)
  const ids = [...known.keys()]
  const documents = await store.get('token', tenantA, ids.map(digest))
  const present = documents.filter(document => document !== undefined)
  const wrong = ids.filter((id, at) => !known.get(id)?.has(documents[at]?.version ?? 0))
  t.same(wrong, [], 'every document is in the state of its last answer, or of what was asked for after it')

  const found = async (name: string) => {
    const { total, documents } = await store.find('token', tenantA, term(name), everything)
    return { total, ids: documents.map(document => document.id).sort() }
  }
  const expected = (name: string) => {
    const matching = present.filter(document => document.terms.includes(digest(name)))
    return { total: matching.length, ids: matching.map(document => document.id).sort() }
  }
  const over = (document: StoredDocument) => document.dueMs !== undefined
  for (const name of ['all', 'replaced', ...Array.from({ length: 7 }, (_, rest) => `mod ${rest}`)])
    t.same(await found(name), expected(name), `the index agrees with the documents on ${name}`)
  const everyone = await store.find('token', tenantA, { op: 'all' }, everything)
  t.equal(everyone.total, present.length)
  const seen = everyone.documents.map(document => document.createdUs)
  t.same(
    seen,
    present.map(document => document.createdUs).sort((a, b) => b - a),
  )
  t.equal((await store.due('token', 5, 1e6)).length, present.filter(over).length)
  const living = await store.find('token', tenantA, { op: 'all' }, { ...everything, nowMs: 5 })
  t.equal(living.total, present.length - present.filter(over).length)
  await store.close()
}

t.test('killed at any moment, the store has every acknowledged commit and a correct index', async t => {
  const folder = t.testdir()
  const known = new Map() as Known
  for (const [round, answers] of [40, 333, 1_500, 2_600].entries()) {
    await writeAndKill(folder, round, answers, known)
    await compare(t, folder, known)
    // Commits in doubt are settled by now.
    const store = await LevelEngine.open(`${folder}/data`)
    const documents = await store.get('token', tenantA, [...known.keys()].map(digest))
    for (const [at, id] of [...known.keys()].entries()) known.set(id, new Set([documents[at]?.version ?? 0]))
    await store.close()
  }
  t.comment(`${known.size} documents`)
})
