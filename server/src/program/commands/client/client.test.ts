import { join } from 'node:path'
import { Readable } from 'node:stream'
import t from 'tap'
import { runHere } from '../../../../verify/support/run-here.ts'
import { openVault } from '../../../../verify/support/vault.ts'
import { readOperations } from '../../../contract/contract.ts'
import { clientOperations } from './operations.ts'
import { runClient } from './run.ts'
import { showJson, showTable } from './show.ts'

const number = '4242424242424242'
const card = JSON.stringify({ type: 'card', data: { number }, metadata: { customer: 'c_1' } })

async function open(t: { teardown(task: () => unknown): void }) {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const tenant = await vault.createTenant()
  const as = (key: string) => (command: string, data?: string) =>
    runHere([...command.split(' '), ...(data === undefined ? [] : ['--data', data])], {
      SURROGATE_URL: url,
      SURROGATE_KEY: key,
    })
  return {
    url,
    tenant,
    run: as(tenant.privateKey),
    manage: as(tenant.managementKey),
    create: as(tenant.publicKey),
  }
}

t.test('every operation of the contract is a command with a help of its own', async t => {
  const all = clientOperations()
  t.same(
    all.map(({ facts }) => facts.id).sort(),
    readOperations()
      .map(({ id }) => id)
      .sort(),
  )
  t.equal(new Set(all.map(({ words }) => words.join(' '))).size, all.length)
  const listed = (await runHere(['--help'])).stdout
  for (const { words, facts, ids } of all) {
    t.ok(listed.includes(`  ${words[0]}`), words.join(' '))
    const { code, stdout } = await runHere([...words, '--help'])
    t.equal(code, 0)
    t.ok(
      stdout.startsWith(
        `Usage: surrogate-server ${[...words, ...ids].join(' ').replaceAll(/\b[a-z_]*id\b/g, id => id.toUpperCase())} [flags]\n`,
      ),
      stdout,
    )
    for (const { name } of facts.queryParameters) t.match(stdout, `--${name.replaceAll('_', '-')}`)
    t.equal(stdout.includes('--data JSON'), facts.bodyType !== undefined, words.join(' '))
    t.match(stdout, /The exit code is 0 if .* 3 if the server could not be reached/s)
    for (const line of stdout.split('\n')) if (!/^( {2}|Example)/.test(line)) t.ok(line.length <= 120, line)
  }
  t.match((await runHere(['tokens'])).stdout, /tokens get ID +Get a token/)
  t.match((await runHere(['applications'])).stdout, /applications revoke-key ID KEY_ID +Revoke a key/)
})

t.test('tokens are created, read, listed, found, changed and deleted', async t => {
  const { run } = await open(t)
  const made = JSON.parse((await run('tokens create --json', card)).stdout)
  t.match(made, { type: 'card', data: { number: 'XXXXXXXXXXXX4242' } })
  const shown = await run(`tokens get ${made.id}`)
  t.equal(shown.code, 0)
  t.match(shown.stdout, new RegExp(`^id +${made.id}$`, 'm'))
  t.match(shown.stdout, /^data\.number +4242424242424242$/m, 'a key that reveals sees the data')
  await run('tokens create', '{"type":"token","data":"x"}')
  const list = await run('tokens list --type card --type token --metadata customer=C_1 --size 5')
  t.match(list.stdout, /\n1 in all, page 1 of 1\n$/)
  t.match(list.stdout, made.id)
  const all = (await run('tokens list')).stdout.split('\n')
  t.match(all[0], /^id +type +containers/, 'columns that differ between rows')
  t.equal(all.length, 5)
  t.match((await run('tokens search --json', '{"query":"type:card"}')).stdout, made.id)
  t.equal((await run(`tokens update ${made.id}`, '{"data":{"expiration_month":6}}')).code, 0)
  t.match((await run(`tokens get ${made.id}`)).stdout, /^data\.expiration_month +6$/m)
  const deleted = await run(`tokens delete ${made.id}`)
  t.match(deleted, { code: 0, stdout: '', stderr: /^done, trace id \S+\n$/ })
})

t.test('other resources, and bodies of other kinds', async t => {
  const { run, manage, create } = await open(t)
  const payload = JSON.parse((await run('tokenize --json', '{"a":"x"}')).stdout)
  t.same(JSON.parse((await run('detokenize --json', `{"a":"{{ ${payload.a} }}"}`)).stdout), { a: 'x' })
  t.match((await create('sessions create')).stdout, /^session_key +key_ses_/m, 'an operation without a body')
  t.match((await manage('applications get-by-key')).stdout, /^type +management$/m)
  const own = JSON.parse((await manage('applications get-by-key --json')).stdout).id
  const key = JSON.parse((await manage(`applications add-key ${own} --json`)).stdout)
  t.equal((await manage(`applications revoke-key ${own} ${key.id}`)).code, 0, 'an operation with two ids')
  t.match((await manage('tenants permissions')).stdout, /token:create/)
  const formula = {
    name: 'Sum',
    type: 'private',
    code: 'module.exports = ({ args }) => ({ raw: args.a + 1 })',
  }
  const { id } = JSON.parse((await manage('reactor-formulas create --json', JSON.stringify(formula))).stdout)
  const reactor = { name: 'Sum', formula: { id }, configuration: {} }
  const made = JSON.parse((await manage('reactors create --json', JSON.stringify(reactor))).stdout)
  t.match((await run(`reactors react ${made.id}`, '{"args":{"a":1}}')).stdout, /^raw +2$/m)
})

t.test('the body comes from an argument, a file or standard input', async t => {
  const { url, tenant } = await open(t)
  const folder = t.testdir({ 'card.json': card })
  const lines: string[] = []
  const runWith = async (data: string | undefined, input: { isTTY?: boolean; text?: string }) =>
    runClient('tokens', ['create', '--json', ...(data === undefined ? [] : ['--data', data])], {
      environment: { SURROGATE_URL: url, SURROGATE_KEY: tenant.privateKey },
      input: Object.assign(Readable.from([input.text ?? '']), { isTTY: input.isTTY ?? false }),
      onProgress: line => lines.push(line),
    })
  const isCard = ({ output }: { output: string }) => t.equal(JSON.parse(output).type, 'card')
  isCard(await runWith(card, {}))
  isCard(await runWith(`@${join(folder, 'card.json')}`, {}))
  isCard(await runWith('-', { isTTY: true, text: card }))
  isCard(await runWith(undefined, { text: card }))
  await t.rejects(runWith(undefined, { isTTY: true }), { message: /needs a body: --data JSON/ })
  await t.rejects(runWith('@/none.json', {}), { message: /the file \/none\.json of --data cannot be read/ })
  await t.rejects(runWith(`{"a":${number}`, {}), { message: /^(?!.*4242).*JSON.*at character/ })
  t.same(lines, [])
})

t.test('the exit code tells a refusal, a wrong command and a lost server apart', async t => {
  const { url, tenant, run } = await open(t)
  const missing = await run('tokens get no-such-token')
  t.match(missing, { code: 1, stdout: '', stderr: /^surrogate-server: 404 .*, trace id \S+\n$/ })
  const wrong = await run('tokens create --json', '{"type":"card","data":{"number":"1"}}')
  t.equal(wrong.code, 1)
  t.match(JSON.parse(wrong.stdout).errors, { 'data.number': [/12 characters/] }, 'the problem document')
  const cases: readonly [args: string[], environment: Record<string, string>, says: RegExp][] = [
    [['tokens', 'get', 'x'], {}, /there is no API key: set SURROGATE_KEY/],
    [['tokens', 'gte', 'x'], { SURROGATE_KEY: 'k' }, /tokens has no such operation; did you mean get/],
    [['token', 'get', 'x'], { SURROGATE_KEY: 'k' }, /no command of that name; did you mean tokens/],
    [['tokens', 'get'], { SURROGATE_KEY: 'k' }, /expected ID; surrogate-server tokens get --help/],
    [['tokens', 'get', 'x', '--key', 'k'], {}, /Unknown option '--key'/],
    [['tokens', 'list', '--metadata', 'x'], { SURROGATE_KEY: 'k' }, /--metadata takes KEY=VALUE/],
    [['tokens', 'get', 'x', '--url', 'nowhere'], { SURROGATE_KEY: 'k' }, /baseUrl must be an http\(s\) URL/],
  ]
  for (const [args, environment, says] of cases) {
    const { code, stderr } = await runHere(args, environment)
    t.equal(code, 2, args.join(' '))
    t.match(stderr, says)
    t.equal(stderr.split('\n').length, 2, 'one sentence')
  }
  const lost = await runHere(['tokens', 'get', 'x', '--url', 'http://127.0.0.1:1'], { SURROGATE_KEY: 'k' })
  t.match(lost, { code: 3, stderr: /^surrogate-server: no response from http:\/\/127\.0\.0\.1:1\/tokens\/x/ })
  t.notMatch(`${missing.stderr}${wrong.stderr}${lost.stderr}`, tenant.privateKey)
  t.ok(url)
})

t.test('what a terminal would obey is escaped', async t => {
  const hostile = { a: '\u001b[31mred\u009b1m', 'b\u0007': ['x\u202ey'], c: 'line\nbreak' }
  for (const shown of [showTable(hostile), showJson(hostile)])
    t.notMatch(shown.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u)
  t.match(showTable(hostile), /\\u001b\[31mred/)
  t.same(JSON.parse(showJson(hostile)), hostile, 'and the JSON means the same')
  const rows = Array.from({ length: 3 }, (_, at) => ({
    id: `id-${at}`,
    wide: 'w'.repeat(200),
    n: at,
    same: 1,
  }))
  const pagination = { total_items: 3, page_number: 1, page_size: 20, total_pages: 1 }
  t.equal(showTable({ pagination, data: rows }, 40).split('\n')[0], 'id    n', 'columns that fit')
  t.equal(showTable({ pagination: { ...pagination, total_items: 0 }, data: [] }), '0 in all, page 1 of 1\n')
})
