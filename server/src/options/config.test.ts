import t from 'tap'
import { helpText, isLoopback, readConfig } from './config.ts'
import { ConfigError } from './errors.ts'
import { flags } from './program-table.ts'

const key = Buffer.alloc(32, 1)
const devToken = 'a-token-of-tests'

t.test('the defaults apply without flags and environment', async t => {
  const config = readConfig([], {})
  t.same(config, {
    host: '127.0.0.1',
    port: 4000,
    storage: 'level:./data',
    headerPrefix: 'SVC',
    auditRetentionDays: 400,
    logLevel: 'warn',
    metricsHost: '127.0.0.1',
    drainSeconds: 0,
  })
  t.ok(Object.isFrozen(config))
})

const [origin, other] = ['https://a.test', 'http://b.test:81']
const twice = (flag: string) => [flag, origin, flag, other]
const mapped = { [origin]: other, 'http://c.test': origin }
const map = `${origin}=${other}`

/** Each setting as flags, as the text of a variable if that is not the last word, and the member that is read. */
const settings: readonly [flags: string[], member: object, text?: string][] = [
  [['--host', '10.0.0.1'], { host: '10.0.0.1' }],
  [['--port', '0'], { port: 0 }],
  [['--port=65535'], { port: 65_535 }, '65535'],
  [['--storage', 'memory:'], { storage: 'memory:' }],
  [['--bootstrap', 'a b.json'], { bootstrap: 'a b.json' }],
  [['--header-prefix', 'Acme1'], { headerPrefix: 'Acme1' }],
  [['--dev'], { dev: true }, '1'],
  [['--dev'], { dev: true }, 'true'],
  [['--allow-private-callbacks'], { allowPrivateCallbacks: true }, 'true'],
  [twice('--formula-allow-origin'), { formulaAllowOrigins: [origin, other] }, `${origin}, ${other}`],
  [twice('--proxy-allow-origin'), { proxyAllowOrigins: [origin, other] }, `${origin},${other}`],
  [
    ['--formula-map-origin', map, `--formula-map-origin=http://c.test=${origin}`],
    { formulaMapOrigins: mapped },
    `${map},http://c.test=${origin}`,
  ],
  [['--proxy-map-origin', map], { proxyMapOrigins: { [origin]: other } }],
  [['--formula-module', 'a', '--formula-module', '@b/c'], { formulaModules: ['a', '@b/c'] }, 'a,@b/c'],
  [['--formula-client', 'a.cjs'], { formulaClient: 'a.cjs' }],
  [['--profile', 'a.yaml'], { profile: 'a.yaml' }],
  [['--cors-origin', origin], { corsOrigins: [origin] }],
  [['--cors-origin', '*'], { corsOrigins: ['*'] }],
  ...['https://*.a.test', 'capacitor://localhost', 'ionic://localhost', 'tauri://localhost'].map(
    one => [['--cors-origin', one], { corsOrigins: [one] }] as [string[], object],
  ),
  [['--cors-origin', 'moz-extension://2c127fa4'], { corsOrigins: ['moz-extension://2c127fa4'] }],
  [['--formula-allow-origin', 'https://*.a.test'], { formulaAllowOrigins: ['https://*.a.test'] }],
  [['--proxy-allow-origin', 'https://*.a.test'], { proxyAllowOrigins: ['https://*.a.test'] }],
  [['--proxy-map-origin', `https://*.a.test=${other}`], { proxyMapOrigins: { 'https://*.a.test': other } }],
  [
    ['--trusted-proxy', '10.0.0.0/8', '--trusted-proxy', '::1'],
    { trustedProxies: ['10.0.0.0/8', '::1'] },
    '10.0.0.0/8,::1',
  ],
  [['--require-isolation'], { requireIsolation: true }, 'true'],
  [['--strict'], { strict: true }, 'true'],
  [['--ready-file', 'a b.json'], { readyFile: 'a b.json' }],
  [['--json'], { json: true }, 'true'],
  [['--audit-retention', '1'], { auditRetentionDays: 1 }],
  [['--audit-retention', '999999'], { auditRetentionDays: 999_999 }],
  [['--log-level', 'info'], { logLevel: 'info' }],
  [['--metrics-port', '0'], { metricsPort: 0 }],
  [['--metrics-host', '::'], { metricsHost: '::' }],
  [['--drain-seconds', '30'], { drainSeconds: 30 }],
]

t.test('each setting is a flag and a variable', async t => {
  const tried = new Set(['dev-token', 'help', 'version'])
  for (const [given, member, text = given.at(-1) ?? ''] of settings) {
    const [name = ''] = (given[0] ?? '').slice(2).split('=')
    tried.add(name)
    const variable = `SURROGATE_${name.replaceAll('-', '_').toUpperCase()}`
    const [key = ''] = Object.keys(member)
    const only = (config: object) => ({ [key]: (config as Record<string, unknown>)[key] })
    t.same(only(readConfig(given, {})), member, given.join(' '))
    t.same(only(readConfig([], { [variable]: text })), member, `${variable}=${text}`)
  }
  const names = flags.map(({ name }) => name).sort()
  t.same(names, [...tried].sort(), 'all of them are here, or have their own test')
})

t.test('--dev-token is a flag and a variable, and lets --dev listen on any address', async t => {
  const anywhere = ['--dev', '--host', '0.0.0.0']
  t.match(readConfig([...anywhere, '--dev-token', devToken], {}), { devToken, host: '0.0.0.0' })
  t.match(readConfig(anywhere, { SURROGATE_DEV_TOKEN: devToken }), { devToken })
})

t.test('a flag overrides a variable, and an empty variable is ignored', async t => {
  const environment = { SURROGATE_PORT: '81', SURROGATE_DEV: '1', SURROGATE_CORS_ORIGIN: 'https://a.test' }
  const config = readConfig(['--port', '82', '--cors-origin', 'https://b.test'], environment)
  t.match(config, { port: 82, dev: true })
  t.same(config.corsOrigins, ['https://b.test'], 'a list is replaced, not added to')
  t.equal(readConfig([], { SURROGATE_PORT: '', SURROGATE_DEV: '' }).port, 4000)
  for (const off of ['0', 'false']) t.equal(readConfig([], { SURROGATE_DEV: off }).dev, false)
  const others = { PORT: '81', SURROGATE_KEY: 'k', SURROGATE_FROM: 'level:a', SURROGATE_STORGE: '' }
  t.equal(readConfig([], others).port, 4000, 'variables of other programs and commands are ignored')
})

t.test('variables that Kubernetes sets for a service of our name are ignored', async t => {
  const links: Record<string, string> = {}
  for (const [name, port] of Object.entries({ SURROGATE: 4000, SURROGATE_METRICS: 9464 })) {
    const [host, url] = ['10.96.0.12', `tcp://10.96.0.12:${port}`]
    Object.assign(links, {
      [`${name}_SERVICE_HOST`]: host,
      [`${name}_SERVICE_PORT`]: String(port),
      [`${name}_SERVICE_PORT_HTTP`]: String(port),
      [`${name}_PORT`]: url,
      [`${name}_PORT_${port}_TCP`]: url,
      [`${name}_PORT_${port}_TCP_PROTO`]: 'tcp',
      [`${name}_PORT_${port}_TCP_PORT`]: String(port),
      [`${name}_PORT_${port}_TCP_ADDR`]: host,
    })
  }
  t.match(readConfig([], links), { port: 4000, metricsPort: undefined })
  t.match(readConfig(['--port', '81', '--metrics-port', '82'], links), { port: 81, metricsPort: 82 })
  t.equal(readConfig([], { SURROGATE_PORT: 'tcp://[fd00::c]:4000' }).port, 4000)
})

t.test('the master key comes from the environment alone', async t => {
  const read = (text: string) => readConfig([], { SURROGATE_MASTER_KEY: text }).masterKey
  const base64 = key.toString('base64')
  for (const text of [base64, base64.replace('=', ''), `${base64}\n`])
    t.same(Buffer.from(read(text) ?? []), key)
  t.equal(read(''), undefined)
  t.throws(() => readConfig(['--master-key', base64], {}), ConfigError)
})

const variables: readonly [variable: string, text: string, says: RegExp][] = [
  ['STORGE', 'memory:', /^unknown environment variable SURROGATE_STORGE; did you mean SURROGATE_STORAGE\?$/],
  ['MASTER_KEY_FIEL', 'x', /did you mean SURROGATE_MASTER_KEY_FILE\?$/],
  ['MASTERKEY', 'x', /did you mean SURROGATE_MASTER_KEY\?$/],
  ['STORAGE_FIEL', 'x', /did you mean SURROGATE_STORAGE_FILE/],
  ['PORT', '0x50', /port/],
  ['PORT', 'tcp://10.0.0.1:80/x', /--port/],
  ['LOG_LEVEL', 'tcp://10.0.0.1:80', /level/],
  ['DEV', 'maybe', /SURROGATE_DEV/],
  ['CORS_ORIGIN', 'https://a.test,', /origin/],
  ['MASTER_KEY', Buffer.alloc(31).toString('base64'), /SURROGATE_MASTER_KEY/],
  ['MASTER_KEY', Buffer.alloc(33).toString('base64'), /SURROGATE_MASTER_KEY/],
  ['MASTER_KEY', key.toString('hex'), /SURROGATE_MASTER_KEY/],
  ['AUDIT_RETENTION', 'forever', /--audit-retention/],
  ['TRUSTED_PROXY', '0.0.0.0/0', /--trusted-proxy must be an address/],
]

const commandLines: readonly (readonly [line: string, says: RegExp])[] = [
  ['--prot 1', /^Unknown option '--prot'; did you mean --port\? surrogate-server --help lists the flags$/],
  ['--colour', /^Unknown option '--colour'; surrogate-server --help/],
  ['--port', /--port/],
  ['--dev=yes', /--dev/],
  ['serve', /serve/],
  ...['http', '65536', '80.5', '', '-1', 'tcp://10.0.0.1:80'].map(
    port => [`--port=${port}`, /--port/] as const,
  ),
  ['--metrics-port 65536', /^--metrics-port/],
  ['--metrics-host=', /^--metrics-host/],
  ['--log-level debug', /^--log-level must be error, warn, info; "debug" is not one$/],
  ...['0.5', '3601', '10000'].map(seconds => [`--drain-seconds ${seconds}`, /^--drain-seconds/] as const),
  ...['A-B', '1A', '', 'A'.repeat(33), 'A\n'].map(
    text => [`--header-prefix=${text}`, /--header-prefix/] as const,
  ),
  [
    '--cors-origin https://a.test/',
    /an origin such as .*, without a path, or \*; "https:\/\/a\.test\/" is not one$/,
  ],
  ...['https://*', 'https://a.*.test', 'https://*a.test', 'https://*.*.test', 'file://'].map(
    one => [`--cors-origin ${one}`, /--cors-origin must be an origin/] as const,
  ),
  ...['formula-allow-origin', 'proxy-allow-origin'].flatMap(flag =>
    ['capacitor://localhost', 'https://a.*.test', 'https://*'].map(
      one => [`--${flag} ${one}`, new RegExp(`^--${flag} must be a.* origin such as`)] as const,
    ),
  ),
  ['--formula-map-origin https://a.*.test=http://b.test', /two origins/],
  ['--proxy-map-origin https://a.test=http://*.b.test', /two origins/],
  ['--proxy-allow-origin https://*.localhost', /not of a private address/],
  ['--cors-origin a.test', /origin/],
  ['--formula-allow-origin *', /origin/],
  ...['http://10.0.0.1:81', 'http://localhost', 'http://[::1]:81'].map(
    one =>
      [
        `--proxy-allow-origin ${one}`,
        /a public origin .* not of a private address; .*--proxy-map-origin may lead to those; /,
      ] as const,
  ),
  ['--proxy-allow-origin https://a.test/b', /without a path.*"https:\/\/a.test\/b" is not one$/],
  ['--proxy-map-origin https://a.test', /^--proxy-map-origin must be two/],
  ['--formula-map-origin https://a.test', /must be two origins/],
  ['--formula-map-origin https://a.test=http://b.test=http://c.test', /two origins/],
  ['--formula-map-origin https://a.test=http://b.test/c', /two origins.*"http:\/\/b.test\/c" is not one$/],
  [`--formula-map-origin ${map} --formula-map-origin ${origin}=http://c.test`, /maps https:\/\/a.test twice/],
  ...['0.0.0.0', '::', '192.168.0.1', '127.0.0.1.evil.test'].map(
    host => [`--dev --host ${host}`, /--dev.*loopback/] as const,
  ),
  [`--dev-token ${devToken}`, /--dev-token needs --dev/],
  [`--dev --dev-token ${'x'.repeat(15)}`, /--dev-token must be 16 to 200/],
  [`--dev --dev-token=${devToken}\tx`, /--dev-token must be 16 to 200/],
  ...['0', '1.5', ''].map(days => [`--audit-retention=${days}`, /--audit-retention/] as const),
  ['--trusted-proxy proxy.local', /--trusted-proxy must be an address/],
  ['--dev --host=', /--host must be an address; use 0.0.0.0/],
  ['--port 4999 --metrics-port 4999', /--port and --metrics-port are both 4999/],
]

t.test('invalid settings are refused in one sentence', async t => {
  const refused = (argv: string[], environment: Record<string, string>, says: RegExp) => {
    const name = JSON.stringify([...argv, environment])
    try {
      readConfig(argv, environment)
      t.fail(name)
    } catch (error) {
      t.match(error, { name: 'ConfigError', message: says }, name)
      const { message } = error as Error
      t.notMatch(message, /\n/, `${name}: one line`)
      const { SURROGATE_MASTER_KEY: secret } = environment
      if (secret !== undefined) t.notOk(message.includes(secret), 'the key is not repeated')
    }
  }
  for (const [line, says] of commandLines) refused(line.split(' '), {}, says)
  for (const [variable, text, says] of variables) refused([], { [`SURROGATE_${variable}`]: text }, says)
})

t.test('--dev accepts every loopback address', async t => {
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1']) {
    t.ok(isLoopback(host), host)
    t.equal(readConfig(['--dev', '--host', host], {}).host, host)
  }
  for (const host of ['0.0.0.0', '::', '', '10.0.0.1', 'localhost.evil.test', '1127.0.0.1'])
    t.notOk(isLoopback(host), host)
  t.equal(readConfig(['--host', '0.0.0.0'], {}).host, '0.0.0.0', 'without --dev any address is allowed')
})

t.test('the help names every flag with its default', async t => {
  const lines = helpText().split('\n')
  for (const flag of flags) {
    const line = lines.find(one => one.includes(`--${flag.name}`)) ?? ''
    t.ok(line, flag.name)
    if ('default' in flag) t.ok(line.endsWith(`(${flag.default})`), line)
  }
  t.match(helpText(), /SURROGATE_MASTER_KEY/)
})

t.test('a setting that may be secret can be in a file', async t => {
  const folder = t.testdir({ storage: 'postgres://u:secret@db/d\n', token: 'a-token-of-16-or-more\n' })
  const read = (environment: Record<string, string>) => readConfig(['--dev'], environment)
  const file = { SURROGATE_STORAGE_FILE: `${folder}/storage` }
  // An empty variable counts as unset.
  for (const environment of [file, { ...file, SURROGATE_STORAGE: '' }])
    t.equal(read(environment).storage, 'postgres://u:secret@db/d')
  t.equal(read({ SURROGATE_DEV_TOKEN_FILE: `${folder}/token` }).devToken, 'a-token-of-16-or-more')
  const unread = /SURROGATE_STORAGE_FILE: .*none cannot be read \(ENOENT\)/
  t.throws(() => read({ SURROGATE_STORAGE_FILE: `${folder}/none` }), { name: 'ConfigError', message: unread })
  const message = /set either SURROGATE_STORAGE or SURROGATE_STORAGE_FILE, not both/
  t.throws(() => read({ ...file, SURROGATE_STORAGE: 'memory:' }), { name: 'ConfigError', message })
  t.equal(read({ SURROGATE_PORT_FILE: 'x' }).port, 4000, 'control: a setting without a secret')
})
