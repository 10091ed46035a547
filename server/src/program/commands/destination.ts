import { systemRandom } from '../../base/random.ts'
import { machineMs } from '../../base/time/real-time.ts'
import { readDevelopmentMasterKey, writeDevelopmentMasterKey } from '../../crypto/development-key.ts'
import type { FlagValues } from '../../options/arguments.ts'
import { ConfigError } from '../../options/errors.ts'
import { keyVariable } from '../../options/master-key-variables.ts'
import { lastingUrls, NoSchema, openStore, parseStorage, type StorageLocation } from '../../storage/open.ts'
import type { Side } from '../../storage/transfer/compare.ts'
import { type Copied, copyStore, type Progress } from '../../storage/transfer/copy-store.ts'
import { type CommandResult, type FoundMasterKey, formatCount } from './command.ts'

/** Copies documents into an empty store, or one where this was cut off, and compares the two. */
export async function copyInto(
  location: StorageLocation,
  source: Side,
  keys: { readonly old: FoundMasterKey; readonly new: Uint8Array | undefined },
  onProgress: (line: string) => void,
): Promise<CommandResult> {
  const key = await destinationKey(location, keys.new, keys.old)
  const store = await openStore(location, { isCommand: true, isAlone: true }).catch(error => {
    if (!(error instanceof NoSchema)) throw error
    throw new ConfigError(
      'the database of --to has no tables: run surrogate-server migrate first, with --storage and the same URL',
    )
  })
  try {
    const copied = await copyStore({
      from: source,
      to: { store, masterKey: key.masterKey },
      random: systemRandom(),
      nowUs: machineMs() * 1000,
      onProgress: reportProgress(onProgress),
      onVerified: async () => {
        if (key.folder !== undefined) await writeDevelopmentMasterKey(key.folder, key.masterKey)
      },
    })
    return report(copied, nextStep(key, keys.new !== undefined))
  } finally {
    await store.close()
  }
}

/** @throws {ConfigError | UnknownStorage} */
export function locationOf(values: FlagValues, name: string): { url: string; location: StorageLocation } {
  const url = values[name]
  if (typeof url !== 'string') {
    throw new ConfigError(`--${name} is missing: ${lastingUrls}`)
  }
  const location = parseStorage(url)
  if (location.isLasting) return { url, location }
  throw new ConfigError(`--${name} cannot be ${url}, which ends with the process`)
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
  if (newKey || !fromFile || location.folder === undefined) return { masterKey: newKey ?? key }
  const kept = await readDevelopmentMasterKey(location.folder)
  return kept ? { masterKey: kept, inFile: true } : { masterKey: key, folder: location.folder }
}

function nextStep({ folder, inFile }: DestinationKey, isNew: boolean): string {
  if (inFile || folder !== undefined) return 'its key is in master.key'
  return `start servers on it with the ${isNew ? 'new' : 'same'} key as ${keyVariable}`
}

/** Reports progress each time a pass has done `every` more records. */
export function reportProgress(report: (line: string) => void, every = 100_000): Progress {
  const of = (done: string) => reportSteps(step => report(`${step} records ${done}`), every)
  const reports = { copied: of('copied'), compared: of('compared') }
  return (done, records) => reports[done](records)
}

/** Reports a count each time that it has grown by `every`. */
export function reportSteps(report: (count: string) => void, every = 100_000): (count: number) => void {
  let reported = 0
  return count => {
    const steps = Math.floor(count / every)
    if (steps === reported) return
    reported = steps
    report(formatCount(steps * every))
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
