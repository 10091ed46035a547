import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startProcess } from '../../../verify/support/process.ts'
import { runHere } from '../../../verify/support/run-here.ts'
import { openTenant, openVault } from '../../../verify/support/vault.ts'

const card = '4242424242424242'

async function open(t: Parameters<typeof openVault>[0] & { testdir(): string }) {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const tenant = await openTenant(vault)
  const folder = t.testdir()
  const write = (name: string, text: string | Uint8Array) => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return file
  }
  const environment = { SURROGATE_URL: url, SURROGATE_KEY: tenant.privateKey }
  const run = (...args: string[]) => runHere(['import', ...args], environment)
  const count = async () => (await tenant.send('GET', '/tokens')).json.pagination.total_items
  return { vault, tenant, write, run, count, environment }
}

const printed = (stdout: string) =>
  stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
    .sort((a, b) => a.line - b.line)

t.test('each line of NDJSON becomes a token, and refusals say where, without values', async t => {
  const { tenant, write, run } = await open(t)
  const lines = [
    { type: 'card', data: { number: card }, id: 'first' },
    { type: 'card', data: { number: '4242424242424241', cvc: 'secret' } },
    '',
    '{"type":"token","data":"secret',
    { type: 'token', data: 'secret', metadata: { row: '5' } },
    { type: 'token', data: 'secret', id: 'first' },
    '{"type":"token","data":0.30000000000000001}',
  ].map(line => (typeof line === 'string' ? line : JSON.stringify(line)))
  const file = write('tokens.ndjson', `${lines.join('\r\n')}\n`)
  const { code, stdout, stderr } = await run(file, '--concurrency', '1')
  t.equal(code, 1)
  t.match(printed(stdout), [
    { line: 1, id: 'first' },
    { line: 2, status: 400, code: 'validation', at: /^data\.(number, data\.cvc|cvc, data\.number)$/ },
    { line: 4, code: 'malformed_json' },
    { line: 5, id: /^[\w-]{36}$/ },
    { line: 6, status: 409, code: 'conflict' },
    { line: 7, code: 'malformed_json' },
  ])
  t.equal(stderr, '2 tokens created, 4 lines refused\n')
  t.equal((await tenant.send('GET', '/tokens/first')).json.data.number, card)
  const progress = readFileSync(`${file}.progress`, 'utf8')
  for (const text of [stdout, stderr, progress]) t.notMatch(text, /secret|4242/)
  const again = await run(file)
  t.match(again, { code: 1, stdout: '', stderr: '2 tokens created, 4 lines refused\n' }, 'nothing is left')
})

t.test('each row of CSV becomes a token, by a template', async t => {
  const { tenant, write, run, count } = await open(t)
  const rows = [
    'pan,month,year,customer,active',
    `${card},01,2030,"c ""1"", Ltd\nBerlin",true\r`,
    '5555555555554444,,,,',
    '',
    `${card},Jan,2030,x,true`,
    `${card},1`,
    `${card},1,2030,"x`,
  ]
  const file = write('cards.csv', `\uFEFF${rows.join('\n')}`)
  const column = (name: string, as?: string) => ({ $column: name, ...(as ? { as } : {}) })
  const template = JSON.stringify({
    type: 'card',
    data: {
      number: column('pan'),
      expiration_month: column('month', 'number'),
      expiration_year: column('year', 'number'),
    },
    metadata: { customer: column('customer'), source: 'import' },
    deduplicate_token: column('active', 'boolean'),
  })
  const { code, stdout } = await run(file, '--template', `@${write('template.json', template)}`)
  t.equal(code, 1)
  const [first, second, ...refused] = printed(stdout)
  t.same(refused, [
    { line: 6, code: 'column', at: 'month' },
    { line: 7, code: 'malformed_csv' },
    { line: 8, code: 'malformed_csv' },
  ])
  t.match((await tenant.send('GET', `/tokens/${first.id}`)).json, {
    data: { number: card, expiration_month: 1, expiration_year: 2030 },
    metadata: { customer: 'c "1", Ltd\nBerlin', source: 'import' },
  })
  const { json } = await tenant.send('GET', `/tokens/${second.id}`)
  t.strictSame([json.data, json.metadata], [{ number: '5555555555554444' }, { source: 'import' }])
  t.equal(await count(), 2)
})

t.test('lines that are too long or not text are refused by themselves', async t => {
  const { tenant, write, run } = await open(t)
  const token = (id: string, data: string) => JSON.stringify({ type: 'token', id, data })
  const lines = [
    token('long', 'secret'.repeat(500_000)),
    token('separator', 'a\u2028b'),
    Buffer.from(token('latin', 'secret \xfc'), 'latin1'),
    '\r',
    token('last', 'z'),
  ]
  const file = write('a.ndjson', Buffer.concat(lines.flatMap(line => [Buffer.from(line), Buffer.from('\n')])))
  const { stdout } = await run(file)
  t.same(printed(stdout), [
    { line: 1, code: 'too_long' },
    { line: 2, id: 'separator' },
    { line: 3, code: 'not_utf8' },
    { line: 5, id: 'last' },
  ])
  t.equal((await tenant.send('GET', '/tokens/separator')).json.data, 'a\u2028b')
})

t.test('a quote that is never closed ends with a million characters, at most', async t => {
  const { write, run, count } = await open(t)
  const lines = `${'x'.repeat(99)}\n`.repeat(10_485)
  const file = write('a.csv', `a\n"${lines}${'\n'.repeat(200)}last`)
  const { stdout } = await run(file, '--template', '{"type":"token","data":{"$column":"a"}}')
  t.match(printed(stdout), [
    { line: 2, code: 'malformed_csv' },
    { line: 10_687, id: /^[\w-]{36}$/ },
  ])
  t.equal(await count(), 1)
})

t.test('an import that was killed goes on, and each line has exactly one token', async t => {
  const { write, run, count, environment } = await open(t)
  const lines = Array.from({ length: 1500 }, (_, at) => JSON.stringify({ type: 'token', data: at }))
  const file = write('tokens.ndjson', lines.join('\n'))
  const killed = startProcess(t, ['import', file], environment)
  await killed.printed(/"line":500,/)
  const { stdout } = await killed.end('SIGKILL')
  t.ok(existsSync(`${file}.progress`), 'progress of the lines before')
  const before = printed(stdout.slice(0, stdout.lastIndexOf('\n')))
  t.ok((await count()) < lines.length, 'the control: it was interrupted')
  const resumed = await run(file)
  t.match(resumed, { code: 0, stderr: /^1,500 tokens created, 0 lines refused\n$/ })
  t.equal(await count(), lines.length)
  const after = printed(resumed.stdout)
  t.ok(after.length < lines.length, 'not from the beginning')
  const ids = new Map<number, string>()
  for (const { line, id } of [...before, ...after]) {
    t.equal(ids.get(line) ?? id, id, 'a line that was printed twice has the same token')
    ids.set(line, id)
  }
  t.equal(ids.size, lines.length)
})

t.test('a busy server is waited for', async t => {
  const { vault, tenant, write, run, count } = await open(t)
  await vault.dev.forTenant(tenant).faults.next({ operation: 'tokens.create', status: 429, times: 3 })
  const file = write('tokens.ndjson', '{"type":"token","data":1}\n{"type":"token","data":2}')
  t.equal((await run(file, '--concurrency', '1')).code, 0)
  t.equal(await count(), 2)
})

t.test('what concerns all lines ends the import, and another run goes on', async t => {
  const { write, run, count, environment, tenant } = await open(t)
  const file = write('tokens.ndjson', '{"type":"token","data":1}\n{"type":"token","data":2}')
  const unknown = await runHere(['import', file], { ...environment, SURROGATE_KEY: 'key_prv_unknown' })
  t.match(unknown, { code: 1, stdout: '', stderr: /0 tokens created.*401.*run the command again/s })
  const limited = await tenant.application({ permissions: ['token:read'] })
  const forbidden = await runHere(['import', file], { ...environment, SURROGATE_KEY: limited.key })
  t.match(forbidden, { code: 1, stdout: '', stderr: /0 tokens created, 0 lines refused.*403/s })
  const allowed = await tenant.application({ permissions: ['token:create'] }, 'public')
  t.equal((await runHere(['import', file], { ...environment, SURROGATE_KEY: allowed.key })).code, 0)
  t.equal(await count(), 2)
  t.equal((await run(file)).stdout, '')
  write('tokens.ndjson', '{"type":"token","data":3}')
  t.match(await run(file), { code: 2, stdout: '', stderr: /is not the progress of this file and template/ })
})

t.test('a line that the key may not create is refused, if it may create others', async t => {
  const { write, tenant, environment } = await open(t)
  const rules = [{ priority: 1, container: '/a/', transform: 'redact', permissions: ['token:create'] }]
  const { key } = await tenant.application({ rules })
  const lines = ['/a/', '/b/', '/a/'].map(one =>
    JSON.stringify({ type: 'token', data: 1, containers: [one] }),
  )
  const file = write('tokens.ndjson', lines.join('\n'))
  const args = ['import', file, '--concurrency', '1']
  const { stdout } = await runHere(args, { ...environment, SURROGATE_KEY: key })
  t.match(printed(stdout), [{ line: 1 }, { line: 2, status: 403, code: 'permission_denied' }, { line: 3 }])
})

t.test('a command that is not right is refused in one sentence', async t => {
  const { write, run, environment } = await open(t)
  const ndjson = write('a.ndjson', '{"type":"token","data":1}')
  const csv = write('a.csv', 'a,b\n1,2')
  const cases: readonly [args: string[], says: RegExp][] = [
    [[], /expected FILE/],
    [['none.ndjson'], /none\.ndjson cannot be read/],
    [[csv], /needs --template/],
    [[ndjson, '--template', '{}'], /is for files that end in \.csv/],
    [[ndjson, '--concurrency', '33'], /--concurrency must be a whole number from 1 to 32/],
    [[csv, '--template', '{"type'], /--template .*at character/],
    [[csv, '--template', '{"type":"token","data":1}'], /has no \{"\$column"/],
    [
      [csv, '--template', '{"data":{"$column":"c"}}'],
      /\$column is "c", which the first line of the file does/,
    ],
    [[csv, '--template', '{"data":{"$column":"a","as":"date"}}'], /string, number or boolean/],
    [
      [write('b.csv', 'a,a\n1,2'), '--template', '{"data":{"$column":"a"}}'],
      /does not name the columns, each once/,
    ],
    [[ndjson, '--progress', csv], /a\.csv is not the progress of this file and template/],
  ]
  for (const [args, says] of cases) {
    const ended = await run(...args)
    t.match(ended, { code: 2, stdout: '', stderr: says }, args.join(' '))
    t.equal(ended.stderr.split('\n').length, 2, 'one sentence')
  }
  t.match(await runHere(['import', ndjson], { SURROGATE_URL: environment.SURROGATE_URL }), {
    code: 2,
    stderr: /set SURROGATE_KEY/,
  })
})
