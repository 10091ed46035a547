import { fileURLToPath } from 'node:url'
import t from 'tap'
import { runHere } from '../../../verify/support/run-here.ts'

const run = (file: string) => runHere(['check-profile', file])

t.test('says what a profile does', async t => {
  const example = fileURLToPath(new URL('../../../examples/profile/acme.yaml', import.meta.url))
  const { code, stdout } = await run(example)
  t.equal(code, 0)
  t.match(stdout, /^headers begin with ACME-$/m)
  t.match(stdout, /^formulas may require @acme\/checks, which is .*checks\.cjs$/m)
  t.match(stdout, /^requests of formulas to https:\/\/api\.bank\.example go to http:\/\/127\.0\.0\.1:9000$/m)
  t.match(stdout, /^applications keep the permission report:read$/m)
  t.match(stdout, /^members may be in camelCase, and are answered so$/m)
  t.match(stdout, /^the privacy of a token names its container$/m)
  t.match(stdout, /^responses have the header x-acme-version: 2022-10$/m)
  t.match(stdout, /^the log shows the kind reactor_formula as formula$/m)
  t.notMatch(stdout, /does nothing/)
})

t.test('names the lines that do nothing', async t => {
  const folder = t.testdir({
    'a.yaml': [
      'header_prefix: SVC',
      'permissions:',
      '  - token:read',
      '  - report:read',
      'dialects: [unknown-permissions, privacy, privacy]',
      'origins:',
      '  https://a.test: https://b.test',
      '  https://c.test: https://c.test',
      'proxy_allow_origins: [https://d.test, https://e.test]',
      'proxy_map_origins: { https://d.test: http://127.0.0.1:1 }',
      'allow_private_callbacks: false',
      'log_entity_types: { token: token, tenant: owner }',
    ].join('\n'),
  })
  const { code, stdout } = await run(`${folder}/a.yaml`)
  t.equal(code, 0)
  t.same(
    stdout.split('\n').filter(line => line.includes('does nothing')),
    [
      'line 1 does nothing, header_prefix: headers begin with SVC- in any case',
      'line 3 does nothing, permissions.0: it is a permission of this server',
      'line 4 does nothing, permissions.1: all are kept by the dialect',
      'line 5 does nothing, dialects.2: it is there twice',
      'line 8 does nothing, origins.https://c.test: it is the same origin',
      'line 9 does nothing, proxy_allow_origins.0: proxy_map_origins has it, too',
      'line 11 does nothing, allow_private_callbacks: they are not allowed in any case',
      'line 12 does nothing, log_entity_types.token: it is shown so in any case',
    ],
  )
})

t.test('a profile that a server refuses is refused', async t => {
  const folder = t.testdir({
    'a.yaml': 'modules: { own: ./own.cjs }',
    'own.cjs': 'throw new Error("no document")',
    'b.yaml': 'module: {}',
  })
  for (const [file, says] of [
    ['a.yaml', /the module own cannot be provided to formulas: it throws "no document"/],
    ['b.yaml', /has an unknown member module; did you mean modules\?/],
  ] as const) {
    const { code, stderr } = await run(`${folder}/${file}`)
    t.equal(code, 2)
    t.match(stderr, says)
  }
})
