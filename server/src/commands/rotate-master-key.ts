import { systemRandom } from '../base/random.ts'
import { ConfigError, flags, readMasterKey } from '../config.ts'
import { readDevelopmentMasterKey, writeDevelopmentMasterKey } from '../storage/keys/master-key.ts'
import { type Rotated, rotateMasterKey } from '../storage/keys/rotation.ts'
import { openExisting } from '../storage/open.ts'
import type { Command } from './command.ts'

const oldName = 'SURROGATE_MASTER_KEY'
const newName = 'SURROGATE_NEW_MASTER_KEY'

export const rotateMasterKeyCommand: Command = {
  name: 'rotate-master-key',
  summary: "wrap every tenant's keys under a new master key; no data is written anew",
  flags: flags.filter(flag => flag.name === 'storage'),
  operands: [],
  details: [
    `${oldName} is the key the store is under; without it, master.key in the data folder,`,
    'which is then written anew.',
    `${newName} is the key to be: 32 bytes in base64, as from: openssl rand -base64 32`,
    'Cut off, it is run again with the same two keys.',
  ],
  async run({ values, environment }) {
    const to = readMasterKey(environment, newName)
    if (!to)
      throw new ConfigError(`${newName} is missing: 32 bytes in base64, as from: openssl rand -base64 32`)
    const given = readMasterKey(environment, oldName)
    const { store, folder } = await openExisting(values.storage as string)
    try {
      const from = given ?? (folder === undefined ? undefined : await readDevelopmentMasterKey(folder))
      if (!from) {
        throw new ConfigError(`there is no master key: set ${oldName} to the one this store is sealed with`)
      }
      if (Buffer.from(from).equals(to)) {
        throw new ConfigError(`${newName} is the master key this store has already: make a new one`)
      }
      const rotated = await rotateMasterKey({
        store,
        from,
        to,
        random: systemRandom(),
        nowUs: Date.now() * 1000,
      })
      // Last, as the new key is at hand should this be cut off, and the old one might not be.
      if (!given && folder !== undefined) await writeDevelopmentMasterKey(folder, to)
      return report(rotated, given === undefined)
    } finally {
      await store.close()
    }
  },
}

function report({ rewrapped, tenants, already }: Rotated, inFile: boolean): string {
  const place = inFile ? 'master.key is the new key' : `start the server with the new key as ${oldName}`
  if (already) return `the store is under the new master key already; ${place}\n`
  const rest = tenants === rewrapped ? '' : `, ${tenants - rewrapped} had been before`
  return `the keys of ${rewrapped} ${rewrapped === 1 ? 'tenant' : 'tenants'} were wrapped anew${rest}; ${place}\n`
}
