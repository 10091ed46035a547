import { OperatorError } from '../base/operator-error.ts'
import { systemRandom } from '../base/random.ts'
import { ConfigError, flags, readMasterKey } from '../config.ts'
import { Keyring, rootTenant } from '../storage/keys/keyring.ts'
import { readDevelopmentMasterKey } from '../storage/keys/master-key.ts'
import {
  type ContentOf,
  countDamage,
  countFaults,
  type Findings,
  type Losses,
  openFolder,
  repairFolder,
} from '../storage/open.ts'
import { BrokenRecord } from '../storage/records/broken-record.ts'
import { SealedStore } from '../storage/records/sealed.ts'
import { indexOf } from '../tokens/contents.ts'
import type { TokenRecord } from '../tokens/token.ts'
import type { Command } from './command.ts'

/** The index disagrees with the records, and nothing was done about it. One sentence. */
export class IndexDisagrees extends OperatorError {
  override readonly name = 'IndexDisagrees'
}

export const reindexCommand: Command = {
  name: 'reindex',
  summary: 'verify the data files and the search index; with --repair, put them right',
  flags: [
    ...flags.filter(flag => flag.name === 'storage'),
    {
      name: 'repair',
      type: 'boolean',
      help: 'write what is missing or wrong; without it nothing is written',
    },
  ],
  operands: [],
  details: [
    'SURROGATE_MASTER_KEY is the key the store is under; without it, master.key in the data folder.',
    'The checksums of all files are verified. Then every token is opened, and everything it can be',
    'found by is worked out again. With --repair what is damaged is left out; the damaged files are',
    'kept in store/lost of the data folder. Copy the folder first.',
    'Where all agrees, or was put right, the exit code is 0; where something disagrees and',
    'was left as it is, 2. Cut off, a repair is run again.',
  ],
  async run({ values, environment }) {
    const given = readMasterKey(environment, 'SURROGATE_MASTER_KEY')
    const repair = values.repair === true
    const storage = values.storage as string
    const losses = repair ? await repairFolder(storage) : undefined
    const { store, folder } = await openFolder(storage, { forRepair: true })
    try {
      const damaged = await countDamage(storage)
      if (damaged > 0) {
        throw new IndexDisagrees(
          `${number(damaged)} blocks of the data files are damaged: restore the data folder from a backup, or run this again with --repair, which keeps what is intact`,
        )
      }
      const key = given ?? (await readDevelopmentMasterKey(folder))
      if (!key) {
        throw new ConfigError(
          'there is no master key: set SURROGATE_MASTER_KEY to the one this store is sealed with',
        )
      }
      const random = systemRandom()
      const keyring = new Keyring(store, key, random)
      if (!(await keyring.open(rootTenant))) {
        throw new ConfigError('this store has no keys yet, and so no records')
      }
      const unreadable = new Set<string>()
      const sealed = new SealedStore(store, keyring, random, broken => unreadable.add(broken.code))
      const findings = await store.reindex({ repair, contentOf: contentOf(sealed, unreadable) })
      return `${report(findings, unreadable.size, repair)}${losses ? describeLosses(losses) : ''}\n`
    } finally {
      await store.close()
    }
  },
}

/** What the record of a token says; other documents are found by nothing that could be worked out again. */
function contentOf(sealed: SealedStore, unreadable: Set<string>): ContentOf {
  return async document => {
    if (document.kind !== 'token') return undefined
    try {
      const store = await sealed.tenant(document.tenant)
      const record = store?.openReadable<TokenRecord>(document)
      if (!store || !record) return undefined
      const { terms = [], uniques = [], ...due } = indexOf(store, record.value)
      return { terms, uniques, ...due }
    } catch (error) {
      // The keys of a tenant that do not open take its tokens with them, and nothing else.
      if (!(error instanceof BrokenRecord)) throw error
      unreadable.add(error.code)
      return undefined
    }
  }
}

const number = (count: number) => count.toLocaleString('en-US')

/** @throws {IndexDisagrees} */
function report(findings: Findings, unreadable: number, repair: boolean): string {
  const faults = countFaults(findings)
  const { documents, entries, displaced } = findings
  const looked = `${number(documents)} records and ${number(entries)} index entries`
  const broken = unreadable + findings.cutOff
  const aside = broken === 0 ? '' : `; ${number(broken)} records do not open, and stay as they are`
  if (faults === 0) return `${looked} were checked and agree${aside}`
  const kinds = (['outdated', 'missing', 'different', 'stray'] as const)
    .filter(kind => findings[kind] > 0)
    .map(kind => `${number(findings[kind])} ${kind}`)
  if (displaced > 0) {
    throw new IndexDisagrees(
      `${number(displaced)} records claim places that others hold: restore the data folder from a backup`,
    )
  }
  if (!repair) {
    throw new IndexDisagrees(
      `the index disagrees with the records (${kinds.join(', ')}, of ${looked}): run this again with --repair`,
    )
  }
  return `${looked} were checked; put right: ${kinds.join(', ')}${aside}`
}

function describeLosses({ logBytes, blocks, list }: Losses): string {
  const parts = [
    ...(logBytes > 0 ? [`${number(logBytes)} bytes of the log`] : []),
    ...(blocks > 0 ? [`${number(blocks)} blocks of tables`] : []),
  ]
  const left = parts.length > 0 ? `; left out as damaged: ${parts.join(' and ')}` : ''
  return list ? `${left}; the list of tables was made anew` : left
}
