import { openSync, writeSync } from 'node:fs'
import { insert, remove, replace } from '../../port/port.samples.ts'
import type { Write } from '../../port/port.ts'
import { LevelEngine } from './level-engine.ts'

/**
 * Run by crash.test.ts as a process of its own: writes without end until it is killed. Each line of the facts
 * is true at the moment it is written: `try` before a commit is asked for, `done` after its answer.
 */
const [folder = '', facts = '', round = ''] = process.argv.slice(2)
const store = await LevelEngine.open(folder)

// A file, synchronously: the kernel has each line before the next step is taken. Lines for standard output
// may wait in this process, and die with it.
const file = openSync(facts, 'a')
const say = (...words: (string | number)[]) => writeSync(file, `${words.join(' ')}\n`)

async function attempt(id: string, version: number, write: Write): Promise<void> {
  say('try', id, version)
  const result = await store.commit([write], Date.now() * 1000)
  if (!result.ok) throw new Error(`unexpected conflict: ${result.conflict.reason}`)
  say('done', id, version)
  process.stdout.write('.')
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
