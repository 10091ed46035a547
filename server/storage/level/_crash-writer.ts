import { insert, remove, replace } from '../port.samples.ts'
import type { Write } from '../port.ts'
import { LevelStore } from './level-store.ts'

/**
 * Run by crash.test.ts as a process of its own: writes without end until it is killed. Each line on standard
 * output is a fact at the moment it is printed: `try` before a commit is asked for, `done` after its answer.
 */
const [folder = '', round = ''] = process.argv.slice(2)
const store = await LevelStore.open(folder)

// Standard output to a pipe is synchronous on POSIX: a line is out before the next step is taken.
const say = (...words: (string | number)[]) => process.stdout.write(`${words.join(' ')}\n`)

async function attempt(id: string, version: number, write: Write): Promise<void> {
  say('try', id, version)
  const result = await store.commit([write], Date.now() * 1000)
  if (!result.ok) throw new Error(`unexpected conflict: ${result.conflict.reason}`)
  say('done', id, version)
}

async function writeForEver(writer: number): Promise<never> {
  for (let count = 0; ; count++) {
    const id = `${round}.${writer}.${count}`
    const terms = ['all', `mod ${count % 7}`, id]
    await attempt(id, 1, insert(id, { terms, uniques: [`unique ${id}`], box: new Uint8Array(500) }))
    if (count % 3 === 0) await attempt(id, 2, replace(id, 1, { terms: ['all', 'replaced'], dueMs: 5 }))
    // Version 0 stands for a document that is not there.
    if (count % 4 === 0) await attempt(id, 0, remove(id))
  }
}

await Promise.all(Array.from({ length: 16 }, (_, writer) => writeForEver(writer)))
