import t from 'tap'
import { createVault, type VaultOptions, VaultOptionsError } from './index.ts'

const refusals: readonly [options: unknown, message: string][] = [
  [{ storge: 'memory:' }, 'unknown option storge; did you mean storage?'],
  [{ colour: 'red' }, 'unknown option colour'],
  [{ constructor: Object }, 'unknown option constructor'],
  ['memory:', "the options must be an object, such as { storage: 'memory:' }"],
  [{ storage: 1 }, 'storage must be a string'],
  [{ storage: null }, 'storage must be a string'],
  [{ masterKey: new Uint8Array(31) }, 'masterKey must be a Uint8Array of 32 bytes'],
  [{ masterKey: 'x'.repeat(32) }, 'masterKey must be a Uint8Array of 32 bytes'],
  [{ headerPrefix: 'A-B' }, 'headerPrefix must be 1 to 32 letters and digits and begin with a letter'],
  [{ dev: 'true' }, 'dev must be true or false'],
  [{ devToken: 'x'.repeat(15) }, 'devToken must be 16 to 200 printable characters without spaces'],
  [{ corsOrigins: '*' }, 'corsOrigins must be a list of strings'],
  [{ formulaModules: [1] }, 'formulaModules must be a list of strings'],
  [{ auditRetentionDays: 0.5 }, 'auditRetentionDays must be a whole number of days, 1 or more'],
  [{ log: () => {} }, 'log must be an object with the functions info, warn and error'],
  [{ now: 0 }, 'now must be a function that returns epoch milliseconds'],
]

t.test('unknown and ill-typed options are refused by name', async t => {
  for (const [options, message] of refusals) {
    const vault = createVault(options as VaultOptions)
    for (const refused of [vault.ready(), vault.fetch('http://vault/healthz'), vault.listen()]) {
      const error: unknown = await refused.catch(error => error)
      t.type(error, VaultOptionsError, message)
      t.equal((error as Error).message, message)
    }
    await vault.close()
  }
})

t.test('an option that is undefined counts as absent', async t => {
  const vault = createVault({ storage: undefined, masterKey: Buffer.alloc(32, 1) } as unknown as VaultOptions)
  t.same(await vault.ready(), {})
  await vault.close()
})
