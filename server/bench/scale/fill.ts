/**
 * Copies all documents of a data folder to an empty database, through the store port in commits of 500. Run by
 * `run.ts` as a separate process.
 *
 *     fill.ts FOLDER URL
 */
import { rootTenant } from '../../src/storage/keys/keyring.ts'
import { openStore } from '../../src/storage/open.ts'
import { documentKinds, type Write } from '../../src/storage/port.ts'
import { bootstrap } from '../server-process.ts'

const [folder = '', url = ''] = process.argv.slice(2)
const batch = 500

const from = await openStore({ engine: 'level', folder })
const to = await openStore({ engine: 'postgres', url }, true)
const beganMs = performance.now()
let filled = 0

for (const tenant of [rootTenant, ...bootstrap.tenants.map(({ id }) => id)]) {
  for (const kind of documentKinds) {
    let writing: Promise<unknown> = Promise.resolve()
    for (let afterUs: number | undefined = -1; afterUs !== undefined; ) {
      const page = { nowMs: -1, offset: 0, limit: batch, afterUs, oldestFirst: true }
      const { documents } = await from.find(kind, tenant, { op: 'all' }, page)
      // One page is read while the previous one is written.
      await writing
      const writes = documents.map((document): Write => ({ type: 'restore', ...document }))
      writing = to.commit(writes, 0).then(result => {
        if (!result.ok) throw new Error(`a ${kind} could not be written: ${result.conflict.reason}`)
      })
      writing.catch(() => {})
      filled += documents.length
      if (Math.floor(filled / 200_000) > Math.floor((filled - documents.length) / 200_000))
        process.stderr.write(`${filled} documents\n`)
      afterUs = documents.length === batch ? documents.at(-1)?.createdUs : undefined
    }
    await writing
  }
}
const seconds = (performance.now() - beganMs) / 1000
await Promise.all([from.close(), to.close()])
process.stdout.write(`${JSON.stringify({ filled, seconds })}\n`)
