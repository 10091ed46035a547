import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Digest, Store, Write } from '../../src/storage/port.ts'
import { digestOfUuid } from '../../src/storage/uuid.ts'
import { median } from '../table.ts'
import { tenant } from './fill.ts'

const rounds = 5
const writers = 64

function termOf(name: string): Digest {
  return createHash('md5').update(name).digest('base64url') as Digest
}

/** A document with as many terms as those that are there, of which three are its own. */
function insertOf(n: number): Write {
  const common = ['source', 'by', `type:${n % 5}`, `tier:${n % 2}`, `lang:${n % 20}`, `hundred:${n % 100}`]
  const nested = ['g', 's', 't', 'c'].map((level, at) => `${level}${n % 10 ** at}`)
  const terms = [...common, ...nested].map(termOf)
  const own = [1, 2, 3].map(() => digestOfUuid(randomUUID()))
  const id = digestOfUuid(randomUUID())
  return {
    type: 'insert',
    fresh: true,
    kind: 'token',
    tenant,
    id,
    terms: [...terms, ...own],
    uniques: [],
    box: randomBytes(350),
  }
}

async function write(store: Store, count: number): Promise<void> {
  let next = 0
  const writeOn = async () => {
    while (next < count) {
      const result = await store.commit([insertOf(next++)], Date.now() * 1000)
      if (!result.ok) throw new Error(result.conflict.reason)
    }
  }
  await Promise.all(Array.from({ length: writers }, writeOn))
}

interface Measured {
  readonly perSecond: number
  /** Of this process and the database, in microseconds for each document. */
  readonly processorUs: number
}

/**
 * Creates documents without and with blocks, in turn, so that a slow phase of the machine affects both.
 * @param foldAll folds what was created without blocks, which the store with blocks would otherwise do meanwhile
 */
export async function measureCreates(
  without: () => Promise<Store>,
  withBlocks: () => Promise<Store>,
  foldAll: () => Promise<void>,
  databaseMs: () => Promise<number>,
  count: number,
): Promise<string> {
  const processor = async () => {
    const { user, system } = process.cpuUsage()
    return user + system + 1000 * (await databaseMs())
  }
  const measure = async (open: () => Promise<Store>): Promise<Measured> => {
    const store = await open()
    // Opens the connections, and reads what is not in memory.
    await write(store, writers * 20)
    const before = await processor()
    const beganMs = performance.now()
    await write(store, count)
    const perSecond = (count * 1000) / (performance.now() - beganMs)
    const processorUs = ((await processor()) - before) / count
    await store.close()
    return { perSecond, processorUs }
  }
  const pairs: { readonly without: Measured; readonly blocks: Measured }[] = []
  for (let round = 0; round < rounds; round++) {
    const one = await measure(without)
    await foldAll()
    pairs.push({ without: one, blocks: await measure(withBlocks) })
  }
  const middle = (of: (pair: (typeof pairs)[number]) => number) => median(pairs.map(of))
  const kept = 100 * middle(({ without, blocks }) => blocks.perSecond / without.perSecond)
  const spent = (name: 'without' | 'blocks') => middle(pair => pair[name].processorUs).toFixed(0)
  return `
creates at the store, ${writers} writers, medians of ${rounds} pairs: with blocks ${kept.toFixed(0)} % of the rate without;
processor time of process and database ${spent('without')} µs a create without, ${spent('blocks')} with`
}
