import { setTimeout as wait } from 'node:timers/promises'
import { startWatcher } from '../../fuzz/watcher.ts'
import { load } from '../load.ts'
import type { Started } from '../processes.ts'
import { maskingKey } from '../server-process.ts'
import { ms, printTable } from '../table.ts'
import type { Times } from './requests.ts'

/** Wide searches of 16 clients: many terms, most of all tokens, and none twice. */
const request = (n: number) => {
  const langs = Array.from({ length: 12 }, (_, at) => `metadata.lang:l${(n + at) % 20}`).join(' OR ')
  const query = `(${langs}) AND NOT metadata.customer:c-${n} AND container:"/g${n % 10}/*"`
  return { method: 'POST', path: '/tokens/search', body: JSON.stringify({ query }) } as const
}

/** How long reads of one token wait beside wide searches, and those of an echo on the same machine. */
export async function measureBeside(
  server: Started,
  echo: Started,
  { rounds, seconds }: Times,
): Promise<void> {
  const response = await fetch(`${server.url}/tokens?size=1`, { headers: { 'SVC-API-KEY': maskingKey } })
  const { data } = (await response.json()) as { readonly data: readonly { readonly id: string }[] }
  const path = `/tokens/${data[0]?.id}`
  const watch = ({ url, pid }: Started) =>
    startWatcher({ port: Number(new URL(url).port), pid, path, key: maskingKey })
  const [ours, theirs] = [watch(server), watch(echo)]
  const rows = [['read beside wide searches', 'p50 ms', 'p99 ms', 'longest ms']]
  const add = async (name: string, watcher: typeof ours) => {
    const { p50Ms, p99Ms, maxMs } = await watcher.summary()
    rows.push([name, ms(p50Ms), ms(p99Ms), ms(maxMs)])
  }
  await wait(1_000)
  await load({ urls: [server.url], keys: [maskingKey], connections: 16, seconds: 5, request })
  await Promise.all([ours.summary(), theirs.summary()])
  for (let round = 0; round < rounds; round++) {
    await load({ urls: [server.url], keys: [maskingKey], connections: 16, seconds: 10 * seconds, request })
    await add('surrogate', ours)
    await add('echo', theirs)
  }
  printTable(rows)
  for (const watcher of [ours, theirs]) await watcher.end()
}
