import { secretFlag } from '../../option-flags.ts'
import { masterSealingKey } from '../../storage/keys/keyring.ts'
import { lastingUrls } from '../../storage/open.ts'
import { documentsOf } from '../../storage/transfer/backup.ts'
import { openSource } from '../../storage/transfer/copy-store.ts'
import { keyVariable, newKeyVariable, readMasterKey } from '../master-key-variables.ts'
import { type Command, findMasterKey } from './command.ts'
import { copyInto, locationOf } from './destination.ts'

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'write a backup into an empty store, of either engine, and compare the two',
  flags: [secretFlag('to', 'URL', `empty store to restore into: ${lastingUrls}`)],
  operands: ['FILE'],
  details: [
    `${keyVariable} is the key of the store that was backed up; without it, master.key in the data folder of --to.`,
    `${newKeyVariable} is the key for the restored store; without it, the same key.`,
    'A database needs its schema before: surrogate-server migrate.',
    'No server starts on the store before it is complete and compared with the backup. If this was',
    'interrupted, run the same command again.',
    'Prints a line on standard error for every 100,000 records.',
  ],
  async run({ values, operands: [file = ''], environment, onProgress }) {
    const { location } = locationOf(values, 'to')
    const newKey = readMasterKey(environment, newKeyVariable)
    const old = await findMasterKey(environment, location.folder)
    const documents = documentsOf(file, masterSealingKey(old.key))
    // All of the file is read before anything is written.
    for await (const _ of documents());
    const source = await openSource(documents, old.key)
    return copyInto(location, source, { old, new: newKey }, onProgress)
  },
}
