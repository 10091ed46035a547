import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import tap from 'tap'
import { main } from './main.ts'

async function command(argv: readonly string[], environment: Record<string, string> = {}) {
  const said = { out: '', err: '' }
  const code = await main(
    argv,
    environment,
    { write: text => (said.out += text) },
    { write: text => (said.err += text) },
  )
  return { code, ...said }
}
const nowhere = ['--base-url', 'http://127.0.0.1:9', '--private-key', 'key_prv_secret']

tap.test('an invalid command is refused in a sentence, with exit code 2', async t => {
  const folder = t.testdir({
    'unknown.yaml': 'base-url: http://x\nprivatekey: k\n',
    'list.yaml': '- a\n',
    'broken.yaml': '{',
    'nested.yaml': 'base-url: {a: 1}\n',
    'reasonless.yaml': 'TOK-001:\n',
  })
  for (const [argv, sentence] of [
    [[], /--base-url and --private-key are required/],
    [['--base-url', 'http://x'], /--private-key/],
    [['--base-url', 'ftp://x', '--private-key', 'k'], /--base-url takes an http or https URL/],
    [['--base-url', 'http://a:b@x', '--private-key', 'k'], /without a user's name/],
    [[...nowhere, '--profile', 'all'], /--profile takes core or surrogate/],
    [[...nowhere, '--through', 'curl'], /--through takes http or sdk/],
    [[...nowhere, '--capability', 'magic'], /unknown capability magic/],
    [[...nowhere, '--claim', 'magic'], /unknown feature magic/],
    [[...nowhere, '--limit', '0'], /--limit takes a number of seconds/],
    [[...nowhere, '--search-lag', 'x'], /--search-lag takes a number/],
    [[...nowhere, '--expected', join(folder, 'list.yaml')], /a map of ids to reasons/],
    [[...nowhere, '--expected', join(folder, 'reasonless.yaml')], /TOK-001 needs a reason/],
    [['compare', 'one.json'], /compare takes two files/],
    [['compare', join(folder, 'list.yaml'), join(folder, 'list.yaml')], /is not a report\.json/],
    [[...nowhere, '--seed', 'x'], /--seed takes a number/],
    [[...nowhere, '--skip', 'TOK-001'], /--skip takes ID=REASON/],
    [[...nowhere, '--timeout', '0'], /--timeout/],
    [[...nowhere, '--header-prefix', 'A B'], /--header-prefix/],
    [[...nowhere, '--zzz'], /^there is no flag --zzz; see --help\n$/],
    [[...nowhere, '--onyl', 'TOK-*'], /^there is no flag --onyl; did you mean --only\?; see --help\n$/],
    [[...nowhere, '--privat-key=k'], /^there is no flag --privat-key; did you mean --private-key\?; see/],
    [[...nowhere, 'TOK-001'], /^Unexpected argument 'TOK-001'.*; see --help\n$/],
    [['--target', join(folder, 'none.yaml')], /none\.yaml: there is no such file; see/],
    [[...nowhere, '--expected', join(folder, 'none.yaml')], /none\.yaml: there is no such file; see/],
    [
      ['compare', join(folder, 'none.json'), join(folder, 'none.json')],
      /none\.json: there is no such file; see/,
    ],
    [['--target', join(folder, 'broken.yaml')], /cannot be read/],
    [['--target', join(folder, 'unknown.yaml')], /unknown setting privatekey/],
    [['--target', join(folder, 'list.yaml')], /a map of settings/],
    [['--target', join(folder, 'nested.yaml')], /base-url must be a string/],
  ] as const) {
    const { code, err, out } = await command(argv)
    t.equal(code, 2, argv.join(' '))
    t.match(err, sentence)
    t.match(err, /^.+\n$/, 'one line')
    t.equal(out, '')
  }
})

tap.test('a run without a server, or without a case, is not valid', async t => {
  const report = join(t.testdir({}), 'report')
  const { code, out } = await command([...nowhere, '--report', report])
  t.equal(code, 2)
  t.match(out, /^Bail out! the target cannot be reached at http:\/\/127\.0\.0\.1:9 \(ECONNREFUSED\)/m)
  t.match(out, /^# verdict: core: 0 of \d+, invalid run$/m)
  const badge = JSON.parse(await readFile(join(report, 'badge.json'), 'utf8'))
  t.match(badge, { schemaVersion: 1, message: /^0 of \d+, invalid run$/ })
  const unknown = await command([...nowhere, '--only', 'TOK-999'])
  t.equal(unknown.code, 2)
  t.match(unknown.out, /no case for TOK-999/)
})

tap.test('--version prints it, and --only takes several ids and shows nothing of others', async t => {
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
  t.same(await command(['--version']), { code: 0, out: `${version}\n`, err: '' })
  const listed = async (...only: string[]) => (await command(['--list', '--only', ...only])).out
  t.equal(await listed('TOK-001', 'TOK-002'), (await listed('TOK-001')) + (await listed('TOK-002')))
  t.equal(await listed('TOK-001', '--only', 'TOK-002'), await listed('TOK-001', 'TOK-002'))
  const tap = await command([...nowhere, '--only', 'TOK-001', 'TOK-002'])
  t.notMatch(tap.out, /not selected/)
})

tap.test('flags override the environment, which overrides the file; secrets are not shown', async t => {
  const folder = t.testdir({
    'target.yaml': 'base-url: http://file\nprivate-key: key_file\nheader-prefix: FILE\ncapability: [clock]\n',
  })
  const environment = { CONFORMANCE_BASE_URL: 'http://environment', CONFORMANCE_HEADER_PREFIX: 'ENV' }
  const argv = ['--target', join(folder, 'target.yaml'), '--header-prefix', 'FLAG', '--print-config']
  const { code, out } = await command(argv, environment)
  t.equal(code, 0)
  t.same(JSON.parse(out), {
    'base-url': 'http://environment',
    'private-key': '[redacted]',
    'header-prefix': 'FLAG',
    capability: ['clock'],
    profile: 'core',
    through: 'http',
  })
})

tap.test('--list prints the cases of the profile, --help all flags', async t => {
  const lines = async (profile: string) =>
    (await command(['--list', '--profile', profile])).out.trim().split('\n')
  const [core, all] = [await lines('core'), await lines('surrogate')]
  t.ok(core.length > 150 && all.length > core.length + 80, `${core.length} of ${all.length}`)
  t.ok(core.includes('TOK-002.a MUST core 4.1: a supplied id is the id of the token'))
  const { code, out } = await command(['--help'])
  t.equal(code, 0)
  t.match(
    out,
    /Exit codes, over the claimed features: 0 conformant, 1 a MUST failed, 2 the run was not valid, 3 partial/,
  )
})

tap.test('--list --json describes each case for other programs; --only and --section select', async t => {
  const listed = async (...argv: string[]) => JSON.parse((await command(['--list', '--json', ...argv])).out)
  const [one] = await listed('--only', 'TOK-002.a')
  t.match(one, {
    id: 'TOK-002.a',
    requirement: 'TOK-002',
    profile: 'core',
    section: '4.1',
    level: 'MUST',
    text: /\.$/,
    features: ['tokens'],
    needs: [],
    operations: ['tokens.create'],
  })
  const ids = async (...argv: string[]) => (await listed(...argv)).map((item: { id: string }) => item.id)
  t.ok((await ids('--only', 'TOK-*')).every((id: string) => id.startsWith('TOK-')))
  t.ok((await ids('--section', '4.2')).every((id: string) => id.startsWith('SEA-')))
  t.ok((await ids('--only', 'TOK-*')).length > 30)
})
