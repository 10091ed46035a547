// Only in CI: it starts servers.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { load, operations } from '../bench/load.ts'
import { startServer } from '../bench/servers.ts'

/**
 * Objects of a request that are still reachable when it is over are moved to the old generation, where only a full
 * collection frees them: many small ones halved the speed of the server, and no benchmark showed it steadily. This counts
 * the bytes that the young generation's collector moves, which depends on no clock.
 */
for (const { name, most, requests } of [
  { name: 'get masked', most: 50, requests: 8_000 },
  { name: 'create', most: 600, requests: 3_000 },
] as const) {
  t.test(`at most ${most} bytes of a request survive it: ${name}`, async t => {
    const folder = await mkdtemp(join(tmpdir(), 'surrogate-garbage-'))
    t.teardown(() => rm(folder, { recursive: true, force: true }))
    const server = await startServer(folder, { node: ['--trace-gc-nvp'] })
    t.teardown(() => server.end('SIGKILL'))
    const ids: string[][] = []
    const send = (operation: 'get masked' | 'create', requests: number) => {
      const { key, request } = operations[operation]
      // The same card each time: entries of the index of new ones are kept in memory on purpose.
      const same = (_: number, id: string) => request(1, id)
      return load({ urls: [server.url], keys: [key], connections: 32, requests, request: same, ids })
    }
    await send('create', 300)
    await send(name, requests / 2)
    const before = server.output().length
    await send(name, requests)
    const scavenges = server
      .output()
      .slice(before)
      .split('\n')
      .filter(line => / gc=s /.test(line))
    const moved = scavenges.reduce((sum, line) => sum + Number(/ promoted=([\d.]+)/.exec(line)?.[1]), 0)
    t.ok(scavenges.length > 5, `${scavenges.length} collections`)
    t.ok(moved / requests < most, `${(moved / requests).toFixed(0)} bytes a request`)
  })
}
