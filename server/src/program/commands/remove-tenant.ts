import { removeTenant } from '../../access/remove-tenant.ts'
import { systemRandom } from '../../base/random.ts'
import { machineMs } from '../../base/time/real-time.ts'
import { ConfigError } from '../../options/errors.ts'
import { booleanFlag } from '../../options/flag.ts'
import { keyVariable } from '../../options/master-key-variables.ts'
import { flags } from '../../options/program-table.ts'
import { addressOf, isTenantAddress, Keyring, rootTenant } from '../../storage/keys/keyring.ts'
import { openExisting } from '../../storage/open.ts'
import { Records } from '../../storage/records/records.ts'
import { type Command, findMasterKey, formatCount } from './command.ts'
import { reportSteps } from './destination.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const removeTenantCommand: Command = {
  name: 'remove-tenant',
  summary: 'destroy the keys of a tenant, and remove all its records',
  flags: [
    ...flags.filter(({ name }) => name === 'storage'),
    booleanFlag('yes', 'do not ask for the id of the tenant again'),
  ],
  operands: ['ID'],
  details: [
    `${keyVariable} is the key of the store; without it, master.key in its data folder.`,
    'Take the tenant out of the bootstrap file first. Servers on a database may run; a data folder belongs',
    'to one process. The keys are destroyed first: from then on nothing of the tenant can be read, except in',
    'backups. If this was interrupted, run it again.',
    'Prints a line on standard error for every 100,000 records.',
  ],
  async run({ values, operands: [tenant = ''], environment, onProgress, ask }) {
    if (!uuid.test(tenant) || !isTenantAddress(addressOf(tenant)))
      throw new ConfigError('the id of a tenant is a UUID in lower case')
    const { store, folder } = await openExisting(values.storage as string, false)
    try {
      const { key } = await findMasterKey(environment, folder)
      const random = systemRandom()
      const keyring = new Keyring(store, key, random)
      if (!(await keyring.open(rootTenant)))
        throw new ConfigError('this store has no keys yet, and so no tenants')
      const again =
        values.yes === true ? tenant : await ask(`All records of ${tenant} will be lost. Its id again: `)
      if (again.trim() !== tenant) throw new ConfigError('that is another id: nothing was removed')
      const sealed = new Records(store, keyring, random)
      const onRemoved = reportSteps(step => onProgress(`${step} records removed`))
      const { removed, left } = await removeTenant(sealed, tenant, machineMs() * 1000, onRemoved)
      if (removed + left === 0) throw new ConfigError('this store has no tenant with this id')
      const records = `the keys of tenant ${tenant} are destroyed, and ${formatCount(removed)} records were removed`
      if (left === 0) return `${records}\n`
      return { output: `${records}; ${formatCount(left)} are damaged and stay, sealed\n`, exitCode: 2 }
    } finally {
      await store.close()
    }
  },
}
