import { realpath } from 'node:fs/promises'
import { systemRandom } from '../base/random.ts'
import { machineMs } from '../base/real-time.ts'
import { type FlagValues, textFlag } from '../config.ts'
import { ConfigError } from '../config-error.ts'
import { keyVariable, newKeyVariable, readMasterKey } from '../master-key-variables.ts'
import { type Copied, copyStore, openSource, type Progress } from '../storage/copy/copy-store.ts'
import { CopyRefused } from '../storage/copy/refused.ts'
import { documentsIn } from '../storage/copy/walk.ts'
import { readDevelopmentMasterKey, writeDevelopmentMasterKey } from '../storage/keys/master-key.ts'
import { openExisting, openStore, parseStorage, type StorageLocation } from '../storage/open.ts'
import {
  type Command,
  type CommandResult,
  type FoundMasterKey,
  findMasterKey,
  formatCount,
} from './command.ts'

export const copyCommand: Command = {
  name: 'copy',
  summary: 'copy a store into an empty one, of the same or another engine, and compare the two',
  flags: [
    textFlag('from', 'URL', 'store to copy: level:<folder> or postgres://…'),
    textFlag('to', 'URL', 'empty store to copy into: level:<folder> or postgres://…'),
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
    if (await isSame(from.location, to.location)) {
      throw new CopyRefused('--from and --to are the same store: a copy needs an empty one')
    }
    const random = systemRandom()
    const { store, folder } = await openExisting(from.url)
    try {
      const oldKey = await findMasterKey(environment, folder)
      const source = await openSource(documentsIn(store), oldKey.key)
      const key = await destinationKey(to.location, newKey, oldKey)
      const destination = await openStore(to.location)
      try {
        const copied = await copyStore({
          from: source,
          to: { store: destination, masterKey: key.masterKey },
          random,
          nowUs: machineMs() * 1000,
          onProgress: reportProgress(onProgress),
          onVerified: async () => {
            if (key.folder !== undefined) await writeDevelopmentMasterKey(key.folder, key.masterKey)
          },
        })
        return report(copied, nextStep(key, newKey !== undefined))
      } finally {
        await destination.close()
      }
    } finally {
      await store.close()
    }
  },
}

/** @throws {ConfigError | UnknownStorage} */
function locationOf(values: FlagValues, name: string): { url: string; location: StorageLocation } {
  const url = values[name]
  if (typeof url !== 'string') {
    throw new ConfigError(`--${name} is missing: level:<folder> or postgres://…`)
  }
  const location = parseStorage(url)
  if (location.engine !== 'memory') return { url, location }
  throw new ConfigError(`--${name} cannot be memory:, which ends with the process`)
}

/** True if both are the same place. Two URLs of one database are found out later, by the copy itself. */
async function isSame(one: StorageLocation, other: StorageLocation): Promise<boolean> {
  if (one.engine === 'postgres') return other.engine === 'postgres' && one.url === other.url
  if (one.engine !== 'level' || other.engine !== 'level') return false
  const real = async (folder: string) => realpath(folder).catch(() => undefined)
  const folder = await real(one.folder)
  return folder !== undefined && folder === (await real(other.folder))
}

interface DestinationKey {
  readonly masterKey: Uint8Array
  /** The data folder to write it into as master.key. */
  readonly folder?: string
  /** True if the data folder has it in master.key already. */
  readonly inFile?: true
}

/** Returns the new key or that of the source. A key from a file is written to a file of the destination. */
async function destinationKey(
  location: StorageLocation,
  newKey: Uint8Array | undefined,
  { key, fromFile }: FoundMasterKey,
): Promise<DestinationKey> {
  if (newKey || !fromFile || location.engine !== 'level') return { masterKey: newKey ?? key }
  const kept = await readDevelopmentMasterKey(location.folder)
  return kept ? { masterKey: kept, inFile: true } : { masterKey: key, folder: location.folder }
}

function nextStep({ folder, inFile }: DestinationKey, isNew: boolean): string {
  if (inFile || folder !== undefined) return 'its key is in master.key'
  return `start servers on it with the ${isNew ? 'new' : 'same'} key as ${keyVariable}`
}

/** Reports progress once for every so many records of a pass. */
export function reportProgress(report: (line: string) => void, every = 100_000): Progress {
  const reported = { copied: 0, compared: 0 }
  return (done, records) => {
    const steps = Math.floor(records / every)
    if (steps === reported[done]) return
    reported[done] = steps
    report(`${formatCount(steps * every)} records ${done}`)
  }
}

function report({ copied, already, tenants, cutOff }: Copied, next: string): CommandResult {
  const records = `${formatCount(copied)} records of ${formatCount(tenants)} ${tenants === 1 ? 'tenant' : 'tenants'} were copied`
  const before = already === 0 ? '' : `, ${formatCount(already)} were there before`
  const [first] = cutOff
  if (first === undefined) {
    return { output: `${records}${before}; all were read back and are equal; ${next}\n`, exitCode: 0 }
  }
  const verbs =
    cutOff.length === 1
      ? 'more was cut off on the disk of the source and is'
      : 'more were cut off on the disk of the source and are'
  const missing = `${formatCount(cutOff.length)} ${verbs} missing, the first being ${first}`
  return {
    output: `${records}${before}; these were read back and are equal, but ${missing}; ${next}\n`,
    exitCode: 2,
  }
}
