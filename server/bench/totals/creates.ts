import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Digest, Store, Write } from '../../src/storage/port.ts'
import { digestOfUuid } from '../../src/storage/uuid.ts'
import { median } from '../table.ts'
import { tenant } from './fill.ts'

const rounds = 3
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

async function ratePerSecond(store: Store, count: number): Promise<number> {
  const beganMs = performance.now()
  let next = 0
  const write = async () => {
    while (next < count) {
      const result = await store.commit([insertOf(next++)], Date.now() * 1000)
      if (!result.ok) throw new Error(result.conflict.reason)
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
  return (count * 1000) / (performance.now() - beganMs)
}

/** Creates documents without and with blocks, in turn, so that a slow phase of the machine affects both. */
export async function measureCreates(
  without: () => Promise<Store>,
  withBlocks: () => Promise<Store>,
  count: number,
): Promise<string> {
  const rates: { readonly without: number; readonly blocks: number }[] = []
  const measure = async (open: () => Promise<Store>) => {
    const store = await open()
    await ratePerSecond(store, writers * 20)
    const rate = await ratePerSecond(store, count)
    await store.close()
    return rate
  }
  for (let round = 0; round < rounds; round++) {
    rates.push({ without: await measure(without), blocks: await measure(withBlocks) })
  }
  const middle = (of: (one: (typeof rates)[number]) => number) => median(rates.map(of)).toFixed(0)
  const kept = median(rates.map(({ without, blocks }) => blocks / without))
  return `\ncreates a second at the store, ${writers} writers: ${middle(one => one.without)} without blocks, ${middle(one => one.blocks)} with, ${(100 * kept).toFixed(0)} % (median of ${rounds} pairs)`
}
