import t from 'tap'
import { createVault, runFormula, type VaultOptions, VaultOptionsError } from '../index.ts'

const refusals: readonly (readonly [options: unknown, message: string])[] = [
  [{ storge: 'memory:' }, 'unknown option storge; did you mean storage?'],
  [{ colour: 'red' }, 'unknown option colour'],
  [{ constructor: Object }, 'unknown option constructor'],
  ['memory:', "the options must be an object, such as { storage: 'memory:' }"],
  [{ storage: 1 }, 'storage must be a string'],
  [{ storage: null }, 'storage must be a string'],
  [{ masterKey: new Uint8Array(31) }, 'masterKey must be a Uint8Array of 32 bytes'],
  [{ masterKey: 'x'.repeat(32) }, 'masterKey must be a Uint8Array of 32 bytes'],
  [{ headerPrefix: 'A-B' }, 'headerPrefix must be 1 to 32 letters and digits that begin with a letter'],
  [{ dev: 'true' }, 'dev must be true or false'],
  [{ devToken: 'x'.repeat(15) }, 'devToken must be 16 to 200 printable characters without spaces'],
  [
    { corsOrigins: '*' },
    'corsOrigins must be a list of origins such as https://app.example.com or https://*.example.com, or of *',
  ],
  [
    { corsOrigins: ['https://a.test/'] },
    'corsOrigins must be a list of origins such as https://app.example.com or https://*.example.com, or of *; "https://a.test/" is not one',
  ],
  [
    { formulaAllowOrigins: ['*'] },
    'formulaAllowOrigins must be a list of origins such as https://api.example.com or https://*.example.com; "*" is not one',
  ],
  [
    { formulaMapOrigins: [] },
    'formulaMapOrigins must be an object of origins such as { "https://api.example.com": "http://localhost:9000" }, without paths',
  ],
  [
    { formulaMapOrigins: { 'https://a.test': 'b' } },
    'formulaMapOrigins must be an object of origins such as { "https://api.example.com": "http://localhost:9000" }, without paths; "b" is not one',
  ],
  [
    { formulaMapOrigins: { a: 'https://b.test' } },
    'formulaMapOrigins must be an object of origins such as { "https://api.example.com": "http://localhost:9000" }, without paths; "a" is not one',
  ],
  [
    { proxyAllowOrigins: ['http://127.0.0.1:81'] },
    'proxyAllowOrigins must be a list of public origins such as https://api.example.com or https://*.example.com, not of a private address; proxyMapOrigins or --proxy-map-origin may lead to those; "http://127.0.0.1:81" is not one',
  ],
  [
    { proxyMapOrigins: { 'https://a.test': 'b' } },
    'proxyMapOrigins must be an object of origins such as { "https://api.example.com": "http://localhost:9000" }, without paths; "b" is not one',
  ],
  ...['loopback', '10.0.0.0/0', '10.0.0.0/33', '::/129', '10.0.0/8', '10.0.0.0/8/8', 'fe80::1%eth0', ''].map(
    one =>
      [
        { trustedProxies: [one] },
        `trustedProxies must be a list of addresses, or of networks such as 10.0.0.0/8; "${one}" is not one`,
      ] as const,
  ),
  [{ metrics: 1 }, 'metrics must be true or false'],
  [{ formulaModules: [1] }, 'formulaModules must be a list of strings'],
  [{ auditRetentionDays: 0.5 }, 'auditRetentionDays must be a whole number of days from 1 to 999999'],
  [
    { proxyMapOrigins: { 'https://a.test': 'http://user:secret@b.test' } },
    'proxyMapOrigins must be an object of origins such as { "https://api.example.com": "http://localhost:9000" }, without paths',
  ],
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

t.test('unknown options of its functions are refused, too', async t => {
  const vault = createVault()
  t.teardown(() => vault.close())
  const prot = { prot: 0 } as { port?: number }
  const refusal = { name: 'VaultOptionsError', message: 'unknown option prot; did you mean port?' }
  await t.rejects(vault.listen(prot), refusal)
  await t.rejects(vault.listenForMetrics(prot), refusal)
  await t.rejects(vault.createTenant({ operater: true } as object), {
    message: 'unknown option operater; did you mean operator?',
  })
  await t.rejects(runFormula('', { arg: {} } as object), {
    name: 'TypeError',
    message: 'unknown option arg; did you mean args?',
  })
  t.ok((await vault.listen({ port: 0 })).url, 'control')
  t.ok((await vault.createTenant({ operator: true })).privateKey)
})

t.test('messages name options in process, and flags in the program', async t => {
  const folder = t.testdir({})
  for (const [options, message, program] of [
    [
      { storage: `level:${folder}` },
      'there is no master key: set masterKey to a Uint8Array of 32 bytes, or set dev to true for a test server',
      'there is no master key: set SURROGATE_MASTER_KEY to 32 bytes in base64, or use --dev for a test server',
    ],
  ] as const) {
    const error: unknown = await createVault(options)
      .ready()
      .catch(error => error)
    t.match(error, { name: 'VaultOptionsError', message, program })
  }
})

t.test('an option that is undefined counts as absent', async t => {
  const vault = createVault({ storage: undefined, masterKey: Buffer.alloc(32, 1) } as unknown as VaultOptions)
  t.same(await vault.ready(), {})
  await vault.close()
})
