import { type AuditRecord, isSuperseded } from '../../audit/entries.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { systemRandom } from '../../base/random.ts'
import { ConfigError } from '../../options/errors.ts'
import { keyVariable } from '../../options/master-key-variables.ts'
import { flags } from '../../options/program-table.ts'
import { BrokenRecord } from '../../storage/broken-record.ts'
import { Keyring, rootTenant } from '../../storage/keys/keyring.ts'
import { type ContentOf, openFolder } from '../../storage/open.ts'
import { allRecords } from '../../storage/records/all-records.ts'
import { Records, type RecordValue, type TenantRecords } from '../../storage/records/records.ts'
import { beforeAll, walkTenants } from '../../storage/transfer/walk.ts'
import { indexOf } from '../../tokens/derived.ts'
import type { TokenRecord } from '../../tokens/token.ts'
import { type Command, findMasterKey, formatCount } from './command.ts'

/** Thrown if records are in a state that the audit log says was ended. */
class EarlierRecords extends OperatorError {
  override readonly name = 'EarlierRecords'
}

export const reindexCommand: Command = {
  name: 'reindex',
  summary: 'delete the search index and build it from the records',
  flags: flags.filter(flag => flag.name === 'storage'),
  operands: [],
  details: [
    `${keyVariable} is the key of the store; without it, master.key in the data folder.`,
    'Opens every record, names those that do not open, and looks for tokens in a state that the audit log',
    'says was changed or erased. A damaged data folder is repaired first: copy it before.',
    'Works on a data folder that no server uses: stop it first.',
    'The exit code is 2 if records do not open. If this was interrupted, run it again.',
  ],
  async run({ values, environment }) {
    const { store, folder } = await openFolder(values.storage as string, true)
    try {
      const { key } = await findMasterKey(environment, folder)
      const random = systemRandom()
      const keyring = new Keyring(store, key, random)
      if (!(await keyring.open(rootTenant))) {
        throw new ConfigError('this store has no keys yet, and so no records')
      }
      const unopened = new Set<string>()
      const sealed = new Records(store, keyring, random, {
        onBroken: broken => unopened.add(broken.code),
      })
      const count = await store.reindex(contentOf(sealed, unopened))
      await refuseSuperseded(sealed)
      return report(count, [...unopened])
    } finally {
      await store.close()
    }
  },
}

/** Opens every record, and computes the index entries of tokens again. */
function contentOf(sealed: Records, unopened: Set<string>): ContentOf {
  return async document => {
    const { kind, tenant, id, version } = document
    if (version === 0) unopened.add(new BrokenRecord(kind, tenant, id).code)
    // Keys of tenants are no records. They open with the first record of their tenant.
    if (version === 0 || kind === 'tenant') return undefined
    try {
      const store = await sealed.tenant(tenant)
      const record = store?.openReadable<RecordValue>(document)
      if (!store || !record || kind !== 'token') return undefined
      const { terms = [], uniques = [], ...due } = indexOf(store, record.value as TokenRecord)
      return { terms, uniques, ...due }
    } catch (error) {
      // If the keys of a tenant do not open, only its records are unreadable.
      if (!(error instanceof BrokenRecord)) throw error
      unopened.add(error.code)
      return undefined
    }
  }
}

/** Looks for tokens that the audit log knows to be changed or erased since. @throws {EarlierRecords} */
async function refuseSuperseded(sealed: Records): Promise<void> {
  let count = 0
  for await (const tenant of walkTenants(sealed.engine)) {
    const store = await sealed.tenant(tenant).catch(error => {
      if (!(error instanceof BrokenRecord)) throw error
    })
    if (store) count += (await supersededIn(store)).size
  }
  if (count === 0) return
  throw new EarlierRecords(
    `${formatCount(count)} tokens are in a state that the audit log says was changed or erased: somebody has put earlier records back; restore the data from a backup`,
  )
}

/** Returns the ids of such tokens of a tenant. Asks for the tokens of the log, as most tokens were never changed. */
async function supersededIn(store: TenantRecords): Promise<Set<string>> {
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

const mostNamed = 20

function report(count: number, unopened: readonly string[]) {
  const indexed = `the index of ${formatCount(count)} records was built`
  if (unopened.length === 0) return `${indexed}\n`
  const named = unopened.slice(0, mostNamed).map(code => `  ${code}\n`)
  const more = unopened.length > mostNamed ? ['  …\n'] : []
  const output = `${indexed}; ${formatCount(unopened.length)} records do not open and were left as they are:\n`
  return { output: [output, ...named, ...more].join(''), exitCode: 2 }
}
