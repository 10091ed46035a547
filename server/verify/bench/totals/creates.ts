import { createHash, randomBytes, randomUUID } from 'node:crypto'
import {
  type Digest,
  digestOfUuid,
  type Store,
  sealedAs,
  type Write,
} from '../../../src/storage/port/port.ts'
import { type Measured, measure, ownCpuUs } from '../measure.ts'
import { median, percent, say } from '../table.ts'
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
    ...sealedAs(randomBytes(350)),
  }
}

const write = (store: Store, times: number): Promise<Measured> =>
  measure(
    async n => {
      const result = await store.commit([insertOf(n)], Date.now() * 1000)
      if (!result.ok) throw new Error(result.conflict.reason)
    },
    { lanes: writers, times },
  )

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
): Promise<void> {
  const measureOn = async (open: () => Promise<Store>) => {
    const store = await open()
    // Opens the connections, and reads what is not in memory.
    await write(store, writers * 20)
    const before = ownCpuUs() + 1000 * (await databaseMs())
    const { perSecond } = await write(store, count)
    const processorUs = (ownCpuUs() + 1000 * (await databaseMs()) - before) / count
    await store.close()
    return { perSecond, processorUs }
  }
  const pairs: Record<'without' | 'blocks', Awaited<ReturnType<typeof measureOn>>>[] = []
  for (let round = 0; round < rounds; round++) {
    const one = await measureOn(without)
    await foldAll()
    pairs.push({ without: one, blocks: await measureOn(withBlocks) })
  }
  const kept = median(pairs.map(({ without, blocks }) => blocks.perSecond / without.perSecond))
  const spent = (name: 'without' | 'blocks') => median(pairs.map(pair => pair[name].processorUs)).toFixed(0)
  say(
    `creates at the store, ${writers} writers, medians of ${rounds} pairs: with blocks ${percent(kept)} of the rate without`,
  )
  say(
    `processor time of process and database: ${spent('without')} µs a create without, ${spent('blocks')} with`,
  )
}
