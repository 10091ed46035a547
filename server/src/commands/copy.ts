import { realpath } from 'node:fs/promises'
import { systemRandom } from '../base/random.ts'
import { ConfigError, type FlagValues, readMasterKey } from '../config.ts'
import { type Copied, copyStore, openSource, type Progress } from '../storage/copy/copy-store.ts'
import { CopyRefused } from '../storage/copy/refused.ts'
import { readDevelopmentMasterKey, writeDevelopmentMasterKey } from '../storage/keys/master-key.ts'
import { openExisting, openStore, parseStorage, type StorageLocation } from '../storage/open.ts'
import type { Command, CommandResult } from './command.ts'

const oldName = 'SURROGATE_MASTER_KEY'
const newName = 'SURROGATE_NEW_MASTER_KEY'

export const copyCommand: Command = {
  name: 'copy',
  summary: 'copy everything into an empty store, of whatever engine, and compare the two',
  flags: [
    { name: 'from', type: 'string', value: 'URL', help: 'what to copy: level:<folder> or postgres://…' },
    { name: 'to', type: 'string', value: 'URL', help: 'where to: level:<folder> or postgres://…, empty' },
  ],
  operands: [],
  details: [
    `${oldName} is the key the source is under; without it, master.key in its data folder.`,
    `${newName} is the key the destination is to be under; without it, the same one.`,
    'No server may use either store meanwhile. None starts on the destination before all of it is there',
    'and was compared with the source. Cut off, the same command is run again and goes on.',
    'Where records of the source were cut off on its disk, the rest is copied and the exit code is 2.',
    'Each 100,000 records are told on the standard error.',
  ],
  async run({ values, environment, tell }) {
    const from = locationOf(values, 'from')
    const to = locationOf(values, 'to')
    const given = readMasterKey(environment, oldName)
    const wanted = readMasterKey(environment, newName)
    if (await isSame(from.location, to.location)) {
      throw new CopyRefused('--from and --to are the same store: a copy needs an empty one')
    }
    const random = systemRandom()
    const { store, folder } = await openExisting(from.url)
    try {
      const masterKey = given ?? (folder === undefined ? undefined : await readDevelopmentMasterKey(folder))
      if (!masterKey) {
        throw new ConfigError(`there is no master key: set ${oldName} to the one the source is sealed with`)
      }
      const source = await openSource({ store, masterKey }, random)
      const key = await destinationKey(to.location, wanted ?? given, masterKey)
      const destination = await openStore(to.location)
      try {
        const copied = await copyStore({
          from: source,
          to: { store: destination, masterKey: key.masterKey },
          random,
          nowUs: Date.now() * 1000,
          onProgress: progressTeller(tell),
          onVerified: async () => {
            if (key.folder !== undefined) await writeDevelopmentMasterKey(key.folder, key.masterKey)
          },
        })
        return report(copied, placeOf(key, wanted !== undefined))
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

/** Where only the store itself can tell, it does so later. */
async function isSame(one: StorageLocation, other: StorageLocation): Promise<boolean> {
  if (one.engine === 'postgres') return other.engine === 'postgres' && one.url === other.url
  if (one.engine !== 'level' || other.engine !== 'level') return false
  const real = async (folder: string) => realpath(folder).catch(() => undefined)
  const folder = await real(one.folder)
  return folder !== undefined && folder === (await real(other.folder))
}

interface DestinationKey {
  readonly masterKey: Uint8Array
  /** The data folder that is to get it as master.key. */
  readonly folder?: string
  /** It stands in the data folder already. */
  readonly inFile?: true
}

/** A key that stood in a file of the source stands in one of the destination, where that is a folder. */
async function destinationKey(
  location: StorageLocation,
  given: Uint8Array | undefined,
  ofSource: Uint8Array,
): Promise<DestinationKey> {
  if (given) return { masterKey: given }
  if (location.engine !== 'level') return { masterKey: ofSource }
  const kept = await readDevelopmentMasterKey(location.folder)
  return kept ? { masterKey: kept, inFile: true } : { masterKey: ofSource, folder: location.folder }
}

function placeOf({ folder, inFile }: DestinationKey, isNew: boolean): string {
  if (inFile || folder !== undefined) return 'its key is in master.key'
  return `start servers on it with the ${isNew ? 'new' : 'same'} key as ${oldName}`
}

const number = (count: number) => count.toLocaleString('en-US')

/** Says how far a copy has come, once for each so many records of a pass. */
export function progressTeller(tell: (line: string) => void, every = 100_000): Progress {
  const told = { copied: 0, compared: 0 }
  return (done, records) => {
    const steps = Math.floor(records / every)
    if (steps === told[done]) return
    told[done] = steps
    tell(`${number(steps * every)} records ${done}`)
  }
}

function report({ copied, already, tenants, cutOff }: Copied, place: string): CommandResult {
  const records = `${number(copied)} records of ${number(tenants)} ${tenants === 1 ? 'tenant' : 'tenants'} were copied`
  const before = already === 0 ? '' : `, ${number(already)} had been before`
  const [first] = cutOff
  if (first === undefined) {
    return { output: `${records}${before}; all were read back and agree; ${place}\n`, exitCode: 0 }
  }
  const verbs =
    cutOff.length === 1
      ? 'more was cut off on the disk of the source and is'
      : 'more were cut off on the disk of the source and are'
  const missing = `${number(cutOff.length)} ${verbs} missing, the first being ${first}`
  return {
    output: `${records}${before}; these were read back and agree, but ${missing}; ${place}\n`,
    exitCode: 2,
  }
}
