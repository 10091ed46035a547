import { stat } from 'node:fs/promises'
import { systemRandom } from '../../base/random.ts'
import { ConfigError } from '../../options/errors.ts'
import { secretFlag, textFlag } from '../../options/flag.ts'
import { keyVariable, newKeyVariable, readMasterKey } from '../../options/master-key-variables.ts'
import { flags } from '../../options/program-table.ts'
import { masterSealingKey } from '../../storage/keys/keyring.ts'
import { lastingUrls, openFrozen } from '../../storage/open.ts'
import { BackupRefused, documentsOf, writeBackup } from '../../storage/transfer/backup.ts'
import { openSource } from '../../storage/transfer/copy-store.ts'
import { documentsIn } from '../../storage/transfer/walk.ts'
import { type Command, findMasterKey, formatCount } from './command.ts'
import { copyInto, locationOf, reportProgress } from './destination.ts'

export const backupCommand: Command = {
  name: 'backup',
  summary: 'write a store into one sealed file, in the state of one moment, while servers use it',
  flags: [
    ...flags.filter(({ name }) => name === 'storage'),
    textFlag('to', 'FILE', 'file to write, which must not exist'),
  ],
  operands: [],
  details: [
    `${keyVariable} is the key of the store; without it, master.key in its data folder.`,
    'Every write that was answered before the start is in the file. The file is read again and',
    'compared with the store before it gets its name. It is of no use without the master key: keep',
    'that in another place. surrogate-server restore writes the file into an empty store.',
    'If records of the store were cut off on its disk, the rest is written and the exit code is 2.',
    'Prints a line on standard error for every 100,000 records.',
  ],
  async run({ values, environment, onProgress }) {
    const { to: file } = values
    if (typeof file !== 'string') throw new ConfigError('--to is missing: the file to write')
    if (await stat(file).catch(() => undefined)) throw new BackupRefused(`${file} is there already`)
    const frozen = await openFrozen(values.storage as string)
    try {
      const { key } = await findMasterKey(environment, frozen.folder)
      const source = await openSource(documentsIn(frozen.store), key)
      const progress = reportProgress(onProgress)
      const { documents, tenants, cutOff } = await writeBackup(source, file, systemRandom(), progress)
      const [first] = cutOff
      const records = `${file}: ${formatCount(documents)} records of ${formatCount(tenants)} ${tenants === 1 ? 'tenant' : 'tenants'}, read back and equal`
      if (first === undefined) return { output: `${records}\n`, exitCode: 0 }
      const missing = `${formatCount(cutOff.length)} cut off on the disk of the store are missing, the first being ${first}`
      return { output: `${records}, but ${missing}\n`, exitCode: 2 }
    } finally {
      await frozen.close()
    }
  },
}

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
