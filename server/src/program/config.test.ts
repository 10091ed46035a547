import t from 'tap'
import { flags, isLoopback, readConfig } from './config.ts'
import { ConfigError } from './config-error.ts'
import { helpText } from './help-text.ts'

const key = Buffer.alloc(32, 1)

t.test('the defaults apply without flags and environment', async t => {
  const config = readConfig([], {})
  t.same(config, {
    host: '127.0.0.1',
    port: 4000,
    storage: 'level:./data',
    bootstrap: undefined,
    headerPrefix: 'SVC',
    dev: false,
    devToken: undefined,
    allowPrivateCallbacks: false,
    formulaAllowOrigins: [],
    formulaMapOrigins: {},
    proxyAllowOrigins: [],
    proxyMapOrigins: {},
    formulaModules: [],
    corsOrigins: undefined,
    trustedProxies: [],
    auditRetentionDays: 400,
    requireIsolation: false,
    strict: false,
    readyFile: undefined,
    json: false,
    logLevel: 'warn',
    metricsPort: undefined,
    metricsHost: '127.0.0.1',
    drainSeconds: 0,
    masterKey: undefined,
    masterKeyFile: undefined,
    help: false,
    version: false,
  })
  t.ok(Object.isFrozen(config))
})

/** Each setting as a flag, as a variable, and the value that is read. */
const settings: readonly [flag: string[], variable: string, text: string, member: string, value: unknown][] =
  [
    [['--host', '10.0.0.1'], 'HOST', '10.0.0.1', 'host', '10.0.0.1'],
    [['--port', '0'], 'PORT', '0', 'port', 0],
    [['--port=65535'], 'PORT', '65535', 'port', 65_535],
    [['--storage', 'memory:'], 'STORAGE', 'memory:', 'storage', 'memory:'],
    [['--bootstrap', 'a b.json'], 'BOOTSTRAP', 'a b.json', 'bootstrap', 'a b.json'],
    [['--header-prefix', 'Acme1'], 'HEADER_PREFIX', 'Acme1', 'headerPrefix', 'Acme1'],
    [['--dev'], 'DEV', '1', 'dev', true],
    [['--dev'], 'DEV', 'true', 'dev', true],
    [['--allow-private-callbacks'], 'ALLOW_PRIVATE_CALLBACKS', 'true', 'allowPrivateCallbacks', true],
    [
      ['--formula-allow-origin', 'https://a.test', '--formula-allow-origin', 'http://b.test:81'],
      'FORMULA_ALLOW_ORIGIN',
      'https://a.test, http://b.test:81',
      'formulaAllowOrigins',
      ['https://a.test', 'http://b.test:81'],
    ],
    [
      [
        '--formula-map-origin',
        'https://a.test=http://localhost:81',
        '--formula-map-origin=http://b.test=http://c.test',
      ],
      'FORMULA_MAP_ORIGIN',
      'https://a.test=http://localhost:81,http://b.test=http://c.test',
      'formulaMapOrigins',
      { 'https://a.test': 'http://localhost:81', 'http://b.test': 'http://c.test' },
    ],
    [
      ['--proxy-allow-origin', 'https://a.test', '--proxy-allow-origin=https://1.1.1.1'],
      'PROXY_ALLOW_ORIGIN',
      'https://a.test,https://1.1.1.1',
      'proxyAllowOrigins',
      ['https://a.test', 'https://1.1.1.1'],
    ],
    [
      ['--proxy-map-origin', 'https://a.test=http://localhost:81'],
      'PROXY_MAP_ORIGIN',
      'https://a.test=http://localhost:81',
      'proxyMapOrigins',
      { 'https://a.test': 'http://localhost:81' },
    ],
    [
      ['--formula-module', 'a', '--formula-module', '@b/c'],
      'FORMULA_MODULE',
      'a,@b/c',
      'formulaModules',
      ['a', '@b/c'],
    ],
    [['--formula-client', 'a.cjs'], 'FORMULA_CLIENT', 'a.cjs', 'formulaClient', 'a.cjs'],
    [['--profile', 'a.yaml'], 'PROFILE', 'a.yaml', 'profile', 'a.yaml'],
    [['--cors-origin', 'https://a.test'], 'CORS_ORIGIN', 'https://a.test', 'corsOrigins', ['https://a.test']],
    [
      ['--trusted-proxy', '10.0.0.0/8', '--trusted-proxy', '::1'],
      'TRUSTED_PROXY',
      '10.0.0.0/8,::1',
      'trustedProxies',
      ['10.0.0.0/8', '::1'],
    ],
    [['--require-isolation'], 'REQUIRE_ISOLATION', 'true', 'requireIsolation', true],
    [['--strict'], 'STRICT', 'true', 'strict', true],
    [['--ready-file', 'a b.json'], 'READY_FILE', 'a b.json', 'readyFile', 'a b.json'],
    [['--json'], 'JSON', 'true', 'json', true],
    [['--cors-origin', '*'], 'CORS_ORIGIN', '*', 'corsOrigins', ['*']],
    [['--audit-retention', '1'], 'AUDIT_RETENTION', '1', 'auditRetentionDays', 1],
    [['--log-level', 'info'], 'LOG_LEVEL', 'info', 'logLevel', 'info'],
    [['--metrics-port', '0'], 'METRICS_PORT', '0', 'metricsPort', 0],
    [['--metrics-host', '::'], 'METRICS_HOST', '::', 'metricsHost', '::'],
    [['--drain-seconds', '30'], 'DRAIN_SECONDS', '30', 'drainSeconds', 30],
    [['--audit-retention', '999999'], 'AUDIT_RETENTION', '999999', 'auditRetentionDays', 999_999],
  ]

t.test('each setting is a flag and a variable', async t => {
  const read = (argv: string[], environment: Record<string, string>, member: string) =>
    readConfig(argv, environment)[member as 'host'] as unknown
  for (const [flag, variable, text, member, value] of settings) {
    t.same(read(flag, {}, member), value, flag.join(' '))
    t.same(read([], { [`SURROGATE_${variable}`]: text }, member), value, `SURROGATE_${variable}=${text}`)
  }
  const tried = new Set(settings.map(([, variable]) => variable.toLowerCase().replaceAll('_', '-')))
  t.same(
    [...flags.map(flag => flag.name)].filter(name => !tried.has(name)),
    ['dev-token', 'help', 'version'],
    'all of them but what has a test of its own',
  )
})

const devToken = 'a-token-of-tests'

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

/** What Kubernetes sets in containers beside services of the names `surrogate` and `surrogate-metrics`. */
const serviceLinks = {
  ...linksOf('SURROGATE', '10.96.0.12', 4000),
  ...linksOf('SURROGATE_METRICS', '10.96.0.13', 9464),
}

function linksOf(name: string, host: string, port: number): Record<string, string> {
  const url = `tcp://${host}:${port}`
  return {
    [`${name}_SERVICE_HOST`]: host,
    [`${name}_SERVICE_PORT`]: String(port),
    [`${name}_SERVICE_PORT_HTTP`]: String(port),
    [`${name}_PORT`]: url,
    [`${name}_PORT_${port}_TCP`]: url,
    [`${name}_PORT_${port}_TCP_PROTO`]: 'tcp',
    [`${name}_PORT_${port}_TCP_PORT`]: String(port),
    [`${name}_PORT_${port}_TCP_ADDR`]: host,
  }
}

t.test('variables that Kubernetes sets for a service of our name are ignored', async t => {
  t.match(readConfig([], serviceLinks), { port: 4000, metricsPort: undefined })
  t.match(readConfig(['--port', '81', '--metrics-port', '82'], serviceLinks), { port: 81, metricsPort: 82 })
  const v6 = { SURROGATE_PORT: 'tcp://[fd00::c]:4000' }
  t.equal(readConfig([], v6).port, 4000)
})

t.test('the master key comes from the environment alone', async t => {
  const read = (text: string) => readConfig([], { SURROGATE_MASTER_KEY: text }).masterKey
  const base64 = key.toString('base64')
  for (const text of [base64, base64.replace('=', ''), `${base64}\n`])
    t.same(Buffer.from(read(text) ?? []), key)
  t.equal(read(''), undefined)
  t.throws(() => readConfig(['--master-key', base64], {}), ConfigError)
})

const refusals: readonly [name: string, argv: string[], environment: Record<string, string>, says: RegExp][] =
  [
    [
      'an unknown flag',
      ['--prot', '1'],
      {},
      /^Unknown option '--prot'; did you mean --port\? surrogate-server --help lists the flags$/,
    ],
    [
      'an unknown flag without a neighbour',
      ['--colour'],
      {},
      /^Unknown option '--colour'; surrogate-server --help/,
    ],
    [
      'a misspelled variable',
      [],
      { SURROGATE_STORGE: 'memory:' },
      /^unknown environment variable SURROGATE_STORGE; did you mean SURROGATE_STORAGE\?$/,
    ],
    [
      'a misspelled key file',
      [],
      { SURROGATE_MASTER_KEY_FIEL: 'x' },
      /did you mean SURROGATE_MASTER_KEY_FILE\?$/,
    ],
    ['a misspelled key', [], { SURROGATE_MASTERKEY: 'x' }, /did you mean SURROGATE_MASTER_KEY\?$/],
    ['a flag without its value', ['--port'], {}, /--port/],
    ['a value for a boolean flag', ['--dev=yes'], {}, /--dev/],
    ['an argument that is not a flag', ['serve'], {}, /serve/],
    ['a port that is not a number', ['--port', 'http'], {}, /--port/],
    ['a port that is too high', ['--port', '65536'], {}, /--port/],
    ['a port below 0', ['--port=-1'], {}, /--port/],
    ['a port with a fraction', ['--port', '80.5'], {}, /--port/],
    ['an empty port', ['--port='], {}, /--port/],
    ['a port in other digits', [], { SURROGATE_PORT: '0x50' }, /port/],
    ['a port for metrics that is too high', ['--metrics-port', '65536'], {}, /^--metrics-port/],
    ['an empty host for metrics', ['--metrics-host='], {}, /^--metrics-host/],
    ['an unknown level', ['--log-level', 'debug'], {}, /^--log-level must be error, warn, info$/],
    ['a fraction of a second', ['--drain-seconds', '0.5'], {}, /^--drain-seconds/],
    ['too many seconds', ['--drain-seconds', '3601'], {}, /^--drain-seconds/],
    [
      'a link to a service in a variable of another kind',
      [],
      { SURROGATE_LOG_LEVEL: 'tcp://10.0.0.1:80' },
      /level/,
    ],
    ['a link to a service with a path', [], { SURROGATE_PORT: 'tcp://10.0.0.1:80/x' }, /--port/],
    ['a link to a service as a flag', ['--port', 'tcp://10.0.0.1:80'], {}, /--port/],
    ['a prefix with a hyphen', ['--header-prefix', 'A-B'], {}, /--header-prefix/],
    ['a prefix that begins with a digit', ['--header-prefix', '1A'], {}, /--header-prefix/],
    ['an empty prefix', ['--header-prefix='], {}, /--header-prefix/],
    ['too long a prefix', ['--header-prefix', 'A'.repeat(33)], {}, /--header-prefix/],
    ['a prefix with a line break', ['--header-prefix', 'A\n'], {}, /--header-prefix/],
    ['a boolean variable with another value', [], { SURROGATE_DEV: 'maybe' }, /SURROGATE_DEV/],
    ['an origin with a path', ['--cors-origin', 'https://a.test/'], {}, /https:\/\/a\.test\//],
    ['an origin without a scheme', ['--cors-origin', 'a.test'], {}, /origin/],
    ['an empty origin in a list', [], { SURROGATE_CORS_ORIGIN: 'https://a.test,' }, /origin/],
    ['a wildcard origin for formulas', ['--formula-allow-origin', '*'], {}, /origin/],
    [
      'a proxy to a private address',
      ['--proxy-allow-origin', 'http://10.0.0.1:81'],
      {},
      /takes public origins/,
    ],
    ['a proxy to this machine', ['--proxy-allow-origin', 'http://localhost'], {}, /takes public origins/],
    ['a proxy to IPv6 loopback', ['--proxy-allow-origin', 'http://[::1]:81'], {}, /takes public origins/],
    ['a proxy to a path', ['--proxy-allow-origin', 'https://a.test/b'], {}, /is not an origin/],
    [
      'a proxy that is mapped to nowhere',
      ['--proxy-map-origin', 'https://a.test'],
      {},
      /^--proxy-map-origin takes two/,
    ],
    ['a map to nowhere', ['--formula-map-origin', 'https://a.test'], {}, /takes two origins/],
    [
      'a map of three',
      ['--formula-map-origin', 'https://a.test=http://b.test=http://c.test'],
      {},
      /two origins/,
    ],
    [
      'a map to a path',
      ['--formula-map-origin', 'https://a.test=http://b.test/c'],
      {},
      /b.test\/c is not an origin/,
    ],
    [
      'an origin that is mapped twice',
      [
        '--formula-map-origin',
        'https://a.test=http://b.test',
        '--formula-map-origin',
        'https://a.test=http://c.test',
      ],
      {},
      /maps https:\/\/a.test twice/,
    ],
    [
      'a master key of 31 bytes',
      [],
      { SURROGATE_MASTER_KEY: Buffer.alloc(31).toString('base64') },
      /SURROGATE_MASTER_KEY/,
    ],
    [
      'a master key of 33 bytes',
      [],
      { SURROGATE_MASTER_KEY: Buffer.alloc(33).toString('base64') },
      /SURROGATE_MASTER_KEY/,
    ],
    ['a master key in hex', [], { SURROGATE_MASTER_KEY: key.toString('hex') }, /SURROGATE_MASTER_KEY/],
    ['--dev on every address', ['--dev', '--host', '0.0.0.0'], {}, /--dev.*loopback/],
    ['--dev on every IPv6 address', ['--dev', '--host', '::'], {}, /--dev.*loopback/],
    [
      '--dev on an address of the network',
      [],
      { SURROGATE_DEV: '1', SURROGATE_HOST: '192.168.0.1' },
      /--dev.*loopback/,
    ],
    [
      '--dev on a name that only looks local',
      ['--dev', '--host', '127.0.0.1.evil.test'],
      {},
      /--dev.*loopback/,
    ],
    ['a token without --dev', ['--dev-token', devToken], {}, /--dev-token needs --dev/],
    ['a short token', ['--dev', '--dev-token', 'x'.repeat(15)], {}, /--dev-token must be 16 to 200/],
    ['a token with a space', ['--dev', '--dev-token', `${devToken} x`], {}, /--dev-token must be 16 to 200/],
    ['a retention of no days', ['--audit-retention', '0'], {}, /--audit-retention/],
    ['a retention with a fraction', ['--audit-retention', '1.5'], {}, /--audit-retention/],
    ['a retention in words', [], { SURROGATE_AUDIT_RETENTION: 'forever' }, /--audit-retention/],
    ['an empty retention', ['--audit-retention='], {}, /--audit-retention/],
    ['a proxy by its name', ['--trusted-proxy', 'proxy.local'], {}, /--trusted-proxy must be an address/],
    ['every proxy', [], { SURROGATE_TRUSTED_PROXY: '0.0.0.0/0' }, /--trusted-proxy must be an address/],
    ['an empty host', ['--dev', '--host='], {}, /--host must name an address/],
  ]

t.test('invalid settings are refused in one sentence', async t => {
  for (const [name, argv, environment, says] of refusals) {
    t.throws(() => readConfig(argv, environment), { name: 'ConfigError', message: says }, name)
    try {
      readConfig(argv, environment)
    } catch (error) {
      t.notMatch((error as Error).message, /\n/, `${name}: one line`)
      const secret = environment.SURROGATE_MASTER_KEY
      if (secret !== undefined) t.notOk((error as Error).message.includes(secret), 'the key is not repeated')
    }
  }
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

t.test('a setting that may be secret can be in a file', t => {
  const folder = t.testdir({ storage: 'postgres://u:secret@db/d\n', token: 'a-token-of-16-or-more\n' })
  const read = (environment: Record<string, string>) => readConfig(['--dev'], environment)
  t.equal(read({ SURROGATE_STORAGE_FILE: `${folder}/storage` }).storage, 'postgres://u:secret@db/d')
  t.equal(read({ SURROGATE_DEV_TOKEN_FILE: `${folder}/token` }).devToken, 'a-token-of-16-or-more')
  t.equal(
    read({ SURROGATE_STORAGE_FILE: `${folder}/storage`, SURROGATE_STORAGE: '' }).storage,
    'postgres://u:secret@db/d',
    'an empty variable counts as unset',
  )
  const refused = (environment: Record<string, string>, says: RegExp) =>
    t.throws(() => read(environment), { name: 'ConfigError', message: says })
  refused(
    { SURROGATE_STORAGE_FILE: `${folder}/none` },
    /SURROGATE_STORAGE_FILE: .*none cannot be read \(ENOENT\)/,
  )
  refused(
    { SURROGATE_STORAGE_FILE: `${folder}/storage`, SURROGATE_STORAGE: 'memory:' },
    /set either SURROGATE_STORAGE or SURROGATE_STORAGE_FILE, not both/,
  )
  refused({ SURROGATE_STORAGE_FIEL: 'x' }, /did you mean SURROGATE_STORAGE_FILE/)
  t.equal(
    read({ SURROGATE_PORT_FILE: 'x' }).port,
    4000,
    'control: a setting without a secret has no such variable',
  )
  t.end()
})
