import { systemRandom } from '../base/random.ts'
import { ConfigError, flags, readMasterKey } from '../config.ts'
import { Keyring, rootTenant } from '../crypto/keyring.ts'
import { readDevelopmentMasterKey } from '../crypto/master-key.ts'
import { BrokenRecord } from '../storage/broken-record.ts'
import { type ContentOf, countFaults, type Findings, openFolder } from '../storage/open.ts'
import { SealedStore } from '../storage/sealed.ts'
import { indexOf } from '../tokens/contents.ts'
import type { TokenRecord } from '../tokens/token.ts'
import type { Command } from './command.ts'

/** The index disagrees with the records, and nothing was done about it. One sentence. */
export class IndexDisagrees extends Error {
  override readonly name = 'IndexDisagrees'
}

export const reindexCommand: Command = {
  name: 'reindex',
  summary: 'hold the search index against the records it was made from; with --repair, put it right',
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
    'Every token is opened, and everything it can be found by is worked out again.',
    'Where all agrees, or was put right, the exit code is 0; where something disagrees and',
    'was left as it is, 2. Cut off, a repair is run again.',
  ],
  async run({ values, environment }) {
    const given = readMasterKey(environment, 'SURROGATE_MASTER_KEY')
    const { store, folder } = await openFolder(values.storage as string)
    try {
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
      const repair = values.repair === true
      return report(
        await store.reindex({ repair, contentOf: contentOf(sealed, unreadable) }),
        unreadable.size,
        repair,
      )
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
  if (faults === 0) return `${looked} were checked and agree${aside}\n`
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
  return `${looked} were checked; put right: ${kinds.join(', ')}${aside}\n`
}
