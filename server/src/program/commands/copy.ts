import { secretFlag } from '../../options/flag.ts'
import { keyVariable, newKeyVariable, readMasterKey } from '../../options/master-key-variables.ts'
import { isSameStore, lastingUrls, openExisting } from '../../storage/open.ts'
import { CopyRefused, openSource } from '../../storage/transfer/copy-store.ts'
import { documentsIn } from '../../storage/transfer/walk.ts'
import { type Command, findMasterKey } from './command.ts'
import { copyInto, locationOf } from './destination.ts'

export const copyCommand: Command = {
  name: 'copy',
  summary: 'copy a store into an empty one, of the same or another engine, and compare the two',
  flags: [
    secretFlag('from', 'URL', `store to copy: ${lastingUrls}`),
    secretFlag('to', 'URL', `empty store to copy into: ${lastingUrls}`),
  ],
  operands: [],
  details: [
    `${keyVariable} is the key of the source; without it, master.key in its data folder.`,
    `${newKeyVariable} is the key for the destination; without it, the same key.`,
    'Stop all servers on both stores first. No server starts on the destination before the copy is',
    'complete and compared with the source. If it was interrupted, run the same command again.',
    'If records of the source were cut off on its disk, the rest is copied and the exit code is 2.',
    'Prints a line on standard error for every 100,000 records.',
  ],
  async run({ values, environment, onProgress }) {
    const from = locationOf(values, 'from')
    const to = locationOf(values, 'to')
    const newKey = readMasterKey(environment, newKeyVariable)
    if (await isSameStore(from.location, to.location)) {
      throw new CopyRefused('--from and --to are the same store: a copy needs an empty one')
    }
    const { store, folder } = await openExisting(from.url)
    try {
      const old = await findMasterKey(environment, folder)
      const source = await openSource(documentsIn(store), old.key)
      return await copyInto(to.location, source, { old, new: newKey }, onProgress)
    } finally {
      await store.close()
    }
  },
}
