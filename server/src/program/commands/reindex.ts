import { type AuditRecord, isSuperseded } from '../../audit/entries.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { systemRandom } from '../../base/random.ts'
import { BrokenRecord } from '../../storage/broken-record.ts'
import { Keyring, rootTenant } from '../../storage/keys/keyring.ts'
import {
  type ContentOf,
  countDamage,
  countFaults,
  type Findings,
  type Losses,
  openFolder,
  repairFolder,
} from '../../storage/open.ts'
import { allRecords } from '../../storage/records/all-records.ts'
import { SealedStore, type TenantStore } from '../../storage/records/sealed.ts'
import { beforeAll, walkTenants } from '../../storage/transfer/walk.ts'
import { indexOf } from '../../tokens/derived.ts'
import type { TokenRecord } from '../../tokens/token.ts'
import { booleanFlag, flags } from '../config.ts'
import { ConfigError } from '../config-error.ts'
import { keyVariable } from '../master-key-variables.ts'
import { type Command, findMasterKey, formatCount } from './command.ts'

/** Thrown if the store is damaged or its index is wrong, and this was not corrected. */
class IndexDisagrees extends OperatorError {
  override readonly name = 'IndexDisagrees'
}

export const reindexCommand: Command = {
  name: 'reindex',
  summary: 'verify the data files and the search index; correct them with --repair',
  flags: [
    ...flags.filter(flag => flag.name === 'storage'),
    booleanFlag('repair', 'correct what is missing or wrong; without it nothing is written'),
  ],
  operands: [],
  details: [
    `${keyVariable} is the key of the store; without it, master.key in the data folder.`,
    'Verifies the checksums of all files, opens every token and computes its index entries again, and looks',
    'for tokens in a state that the audit log says was changed or erased.',
    'Works on a data folder that no server uses: stop it first.',
    'Copy the data folder before you use --repair: it drops what is damaged, and moves damaged files',
    'to store/lost in the data folder.',
    'The exit code is 0 if everything is correct or was corrected, and 2 if something is wrong.',
    'If a repair was interrupted, run it again.',
  ],
  async run({ values, environment }) {
    const repair = values.repair === true
    const storage = values.storage as string
    const losses = repair ? await repairFolder(storage) : undefined
    const { store, folder } = await openFolder(storage)
    try {
      const damaged = await countDamage(storage)
      if (damaged > 0) {
        throw new IndexDisagrees(
          `${formatCount(damaged)} blocks of the data files are damaged: restore the data folder from a backup, or run this again with --repair, which keeps what is intact`,
        )
      }
      const { key } = await findMasterKey(environment, folder)
      const random = systemRandom()
      const keyring = new Keyring(store, key, random)
      if (!(await keyring.open(rootTenant))) {
        throw new ConfigError('this store has no keys yet, and so no records')
      }
      const unreadable = new Set<string>()
      const sealed = new SealedStore(store, keyring, random, broken => unreadable.add(broken.code))
      const findings = await store.reindex({ repair, contentOf: contentOf(sealed, unreadable) })
      const result = report(findings, unreadable.size, repair)
      await refuseSuperseded(sealed)
      return `${result}${losses ? describeLosses(losses) : ''}\n`
    } finally {
      await store.close()
    }
  },
}

/** Computes the index entries of a token again. Other documents have none that could be computed. */
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
      // If the keys of a tenant do not open, only its tokens are unreadable.
      if (!(error instanceof BrokenRecord)) throw error
      unreadable.add(error.code)
      return undefined
    }
  }
}

/**
 * Looks for tokens that the audit log knows to be changed or erased since. By the index, so only when that is right.
 * @throws {IndexDisagrees}
 */
async function refuseSuperseded(sealed: SealedStore): Promise<void> {
  let count = 0
  for await (const tenant of walkTenants(sealed.store)) {
    const store = await sealed.tenant(tenant).catch(error => {
      if (!(error instanceof BrokenRecord)) throw error
    })
    if (store) count += (await supersededIn(store)).size
  }
  if (count === 0) return
  throw new IndexDisagrees(
    `${formatCount(count)} tokens are in a state that the audit log says was changed or erased: somebody has put earlier records back; restore the data from a backup`,
  )
}

/** Returns the ids of such tokens of a tenant. Asks for the tokens of the log, as most tokens were never changed. */
async function supersededIn(store: TenantStore): Promise<Set<string>> {
  const ids = new Set<string>()
  for await (const { value } of allRecords<AuditRecord>(store, 'audit', { op: 'all' }, beforeAll)) {
    const { entity_id: id, superseded } = value
    if (id === undefined || superseded === undefined || ids.has(id)) continue
    const token = await store.readable(() => store.get<TokenRecord>('token', id))
    // The latest change of a token leads to the earlier ones.
    if (token && superseded >= token.version - 1 && (await isSuperseded(store, token))) ids.add(id)
  }
  return ids
}

/** @throws {IndexDisagrees} */
function report(findings: Findings, unreadable: number, repair: boolean): string {
  const faults = countFaults(findings)
  const { documents, entries, displaced } = findings
  const checked = `${formatCount(documents)} records and ${formatCount(entries)} index entries`
  const broken = unreadable + findings.cutOff
  const unopened =
    broken === 0 ? '' : `; ${formatCount(broken)} records do not open and were left as they are`
  if (faults === 0) return `${checked} were checked and are correct${unopened}`
  const kinds = (['outdated', 'missing', 'different', 'stray'] as const)
    .filter(kind => findings[kind] > 0)
    .map(kind => `${formatCount(findings[kind])} ${kind}`)
  if (displaced > 0) {
    throw new IndexDisagrees(
      `${formatCount(displaced)} records claim unique values of other records: restore the data folder from a backup`,
    )
  }
  if (!repair) {
    throw new IndexDisagrees(
      `the search index is wrong (${kinds.join(', ')}, of ${checked}): run this again with --repair`,
    )
  }
  return `${checked} were checked; corrected: ${kinds.join(', ')}${unopened}`
}

function describeLosses({ logBytes, blocks, list }: Losses): string {
  const parts = [
    ...(logBytes > 0 ? [`${formatCount(logBytes)} bytes of the log`] : []),
    ...(blocks > 0 ? [`${formatCount(blocks)} blocks of tables`] : []),
  ]
  const left = parts.length > 0 ? `; damaged and dropped: ${parts.join(' and ')}` : ''
  return list ? `${left}; the list of tables was rebuilt` : left
}
