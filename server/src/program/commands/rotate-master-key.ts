import { systemRandom } from '../../base/random.ts'
import { machineMs } from '../../base/time/real-time.ts'
import { writeDevelopmentMasterKey } from '../../crypto/development-key.ts'
import { ConfigError } from '../../options/errors.ts'
import { keyVariable, newKeyVariable, readMasterKey } from '../../options/master-key-variables.ts'
import { flags } from '../../options/program-table.ts'
import { type Rotated, rotateMasterKey } from '../../storage/keys/rotation.ts'
import { openExisting } from '../../storage/open.ts'
import { type Command, findMasterKey } from './command.ts'

export const rotateMasterKeyCommand: Command = {
  name: 'rotate-master-key',
  summary: 'wrap the keys of all tenants under a new master key, without rewriting data',
  flags: flags.filter(flag => flag.name === 'storage'),
  operands: [],
  details: [
    `${keyVariable} is the present key; without it, master.key in the data folder,`,
    'which is then replaced.',
    `${newKeyVariable} is the new key: 32 bytes in base64. Make one with: openssl rand -base64 32`,
    'Stop all servers on the store first. All keys are wrapped at once, or none. If it was interrupted,',
    'run it again with the same two keys.',
  ],
  async run({ values, environment }) {
    const to = readMasterKey(environment, newKeyVariable)
    if (!to) {
      throw new ConfigError(`${newKeyVariable} is missing; make a key with: openssl rand -base64 32`)
    }
    const { store, folder } = await openExisting(values.storage as string)
    try {
      const { key: from, fromFile } = await findMasterKey(environment, folder)
      if (Buffer.from(from).equals(to)) {
        throw new ConfigError(`${newKeyVariable} is the present key of the store; make another one`)
      }
      const rotated = await rotateMasterKey({
        store,
        from,
        to,
        random: systemRandom(),
        nowUs: machineMs() * 1000,
      })
      // Last: if this is interrupted, the old key is still in the file, and the new one was given.
      if (fromFile && folder !== undefined) await writeDevelopmentMasterKey(folder, to)
      return report(rotated, fromFile)
    } finally {
      await store.close()
    }
  },
}

function report({ tenants, already }: Rotated, inFile: boolean): string {
  const next = inFile ? 'the new key is in master.key' : `start the server with the new key as ${keyVariable}`
  if (already) return `the store already has the new master key; ${next}\n`
  return `the keys of ${tenants} ${tenants === 1 ? 'tenant' : 'tenants'} were wrapped under the new master key; ${next}\n`
}
