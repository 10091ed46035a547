import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import tap from 'tap'
import { contract } from '../../selftest/_reference.ts'
import { readConfig } from '../config.ts'
import { cases as rows } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import { Finding, NotSupported } from '../harness/finding.ts'
import { type Requirement, readRequirements } from '../harness/requirements.ts'
import type { Target } from '../harness/target.ts'
import { main } from '../main.ts'
import { redactor } from '../redact.ts'
import { type RunOptions, run } from '../run.ts'
import { compare } from './compare.ts'
import { htmlOf } from './html.ts'
import { junitOf } from './junit.ts'
import { reportOf } from './model.ts'
import { specificationPage } from './specification.ts'
import { tapEnd, tapLines } from './tap.ts'
import { writeReport } from './write.ts'

const requirement = (id: string, more: Partial<Requirement> = {}): Requirement => ({
  id,
  profile: 'core',
  section: '4.1',
  level: 'MUST',
  status: 'active',
  needs: [],
  operations: [],
  text: 'A <token> is "read".',
  ...more,
})
const target: Target = {
  baseUrl: 'http://server',
  privateKey: 'key_prv_very_secret',
  headerPrefix: 'SVC',
  capabilities: [],
  timeoutMs: 1000,
  patienceMs: 10,
  fetch: async () =>
    Response.json({ session_key: 'key_of_a_session', echo: '<script>key_prv_very_secret' }, { status: 201 }),
}
const pass = async () => {}
const fail = async () => {
  throw new Finding('expected <1>, found 2 with key_prv_very_secret')
}

async function reported(
  outcome: () => Promise<void>,
  more: Partial<Requirement> = {},
  options: RunOptions = {},
) {
  const made = await run(target, {
    contract,
    requirements: [requirement('AAA-001'), requirement('AAA-002', more)],
    cases: rows({ 'AAA-001.a: holds # always': pass, 'AAA-002.a: is tried': outcome }),
    seed: 7,
    ...options,
  })
  const redact = redactor(target)
  const report = reportOf(made, { target, through: 'http', startedAt: new Date(0), redact })
  const lines = made.results.flatMap((result, index) => tapLines(result, index + 1, made.profile, redact))
  return {
    made,
    report,
    tap: [...lines, ...tapEnd(made)].join('\n'),
    code: made.exitCode,
  }
}

tap.test('each outcome of a case has its verdict, exit code and line', async t => {
  const withdrawn = { status: 'withdrawn' } as const
  for (const [name, make, code, line] of [
    ['pass', () => reported(pass), 0, /^ok \d - AAA-002\.a is tried$/m],
    ['fail', () => reported(fail), 1, /^not ok \d - AAA-002\.a is tried$/m],
    ['a SHOULD', () => reported(fail, { level: 'SHOULD' }), 0, /^not ok .* # TODO SHOULD/m],
    ['on trial', () => reported(fail, { status: 'provisional' }), 0, /# TODO MUST provisional/],
    ['withdrawn', () => reported(fail, withdrawn), 0, /1 cases/],
    ['a capability', () => reported(pass, { needs: ['clock'] }), 3, /^ok .* # SKIP not supported: clock$/m],
    [
      'found out late',
      () =>
        reported(async () => {
          throw new NotSupported('second-tenant')
        }),
      3,
      /not supported: second-tenant/,
    ],
    [
      'an unclaimed feature',
      () => reported(pass, { needs: ['clock'] }, { claims: ['http'] }),
      0,
      /^ok .* # SKIP not supported: not claimed: time$/m,
    ],
    [
      'an expected failure',
      () => reported(fail, {}, { expected: { 'AAA-002': 'known' } }),
      0,
      /^not ok .* # TODO expected: known$/m,
    ],
    [
      'an unexpected pass',
      () => reported(pass, {}, { expected: { 'AAA-002.a': 'known' } }),
      1,
      /^not ok .*\(passes, although a failure is expected: known\)$/m,
    ],
    ['an unknown expected failure', () => reported(pass, {}, { expected: { 'BBB-001': 'x' } }), 2, /BBB-001/],
    ['a pattern', () => reported(fail, {}, { only: ['*-001'] }), 3, /^ok .*AAA-001\.a[^#]*# always$/m],
    ['a section', () => reported(fail, {}, { sections: ['9.9'] }), 2, /no section 9\.9/],
    ['skip', () => reported(fail, {}, { skip: { 'AAA-002': 'known' } }), 3, /^ok .* # SKIP known$/m],
    ['only', () => reported(fail, {}, { only: ['AAA-001'] }), 3, /# SKIP not selected by --only/],
    [
      'the suite',
      () =>
        reported(async () => {
          throw new RangeError('own fault')
        }),
      2,
      /own fault/,
    ],
    ['an unknown id', () => reported(pass, {}, { only: ['BBB-001'] }), 2, /^Bail out! .*BBB-001/m],
    ['no cases', () => reported(pass, {}, { cases: [] }), 2, /invalid run/],
  ] as const) {
    const { code: found, tap: text } = await make()
    t.equal(found, code, name)
    t.match(text, line, name)
  }
})

tap.test('a failure is shown with its requirement, request and response, without secrets', async t => {
  const {
    made,
    report,
    tap: text,
  } = await reported(
    fail,
    {},
    {
      cases: rows({
        'AAA-002.a: is tried': async c => {
          await c.as('key_of_a_case')('POST', '/sessions')
          await fail()
        },
      }),
    },
  )
  t.equal(made.results.length, 1)
  const [html, junit] = [htmlOf(report), junitOf(report)]
  for (const shown of [text, html, junit, JSON.stringify(report)]) {
    t.notMatch(shown, /very_secret|key_of_a_session|key_of_a_case/)
    t.match(shown, /expected (<|&lt;)1(>|&gt;)/)
  }
  t.match(html, /A &lt;token&gt; is &quot;read&quot;\./, 'the requirement')
  t.match(html, /POST \/sessions/, 'the request')
  t.match(html, /201[\s\S]*&quot;echo&quot;/, 'the response')
  t.notMatch(html, /<script|<token/, 'values are not markup')
  t.match(junit, /tests="1" failures="1" errors="0" skipped="0"/)
  t.same(report.totals, { 'core 4.1 Tokens': { fail: 1 } })
})

tap.test('each finding shows its own exchange, the difference, and a command that repeats it', async t => {
  const {
    made,
    tap: text,
    report,
  } = await reported(
    pass,
    {},
    {
      profile: 'surrogate',
      cases: rows({
        'AAA-002.a: is tried': async c => {
          const first = await c.asPrivate('POST', '/sessions', { n: "it's" })
          await c.asPrivate('GET', '/tokens?size=1')
          c.surrogate(() => c.status(first, 418))
          c.equal({ a: [1, 2], b: 'x' }, { a: [1, 3], b: 'x' }, 'the values')
        },
      }),
    },
  )
  const all = report.cases[0]?.details ?? []
  const finding = (message: RegExp) => all.find(one => message.test(one.message))
  t.match(finding(/expected 418/)?.exchange, /^POST \/sessions\n/, 'that of the response, not the last one')
  const different = finding(/^the values/)
  t.match(different?.exchange, /^GET \/tokens/)
  t.match(different?.difference, /\+ +2\n- +3/)
  const curl = finding(/expected 418/)?.curl ?? ''
  t.match(
    curl,
    /^curl -i -X POST "\$CONFORMANCE_BASE_URL"'\/sessions' .*-H "svc-api-key: \$CONFORMANCE_PRIVATE_KEY"/,
  )
  t.ok(curl.endsWith(`--data-binary '{"n":"it'\\''s"}'`), curl)
  t.match(
    text,
    /^ {2}message: .*\n {2}difference: [\s\S]*\n {2}exchange: "GET [\s\S]*\n {2}curl: [\s\S]*\n {2}message_2: /m,
    'all findings',
  )
  t.match(htmlOf(report), /the values[\s\S]*\+ found - expected[\s\S]*<pre>GET \/tokens/)
  t.equal(made.results.length, 1)
})

tap.test('a shared fixture that fails shows its exchange in each case', async t => {
  const broken = async (c: Context) => {
    await c.shared('broken', async s => {
      await s.asPrivate('POST', '/sessions')
      s.ok(false, 'something is there', [])
    })
  }
  const { report } = await reported(
    pass,
    {},
    { cases: rows({ 'AAA-001.a: one': broken, 'AAA-002.a: two': broken }) },
  )
  const shown = report.cases.map(
    one =>
      one.details.find(detail => detail.message === 'expected that something is there, found []')?.exchange,
  )
  t.equal(shown.length, 2)
  for (const exchange of shown) t.match(exchange, /^POST \/sessions\n/)
})

tap.test(
  'a body of another form is told by the contract, and otherwise by the member that was read',
  async t => {
    const list: Target['fetch'] = async () => Response.json([], { status: 201 })
    const messages = async (read: (c: Context) => unknown) => {
      const { results } = await run(
        { ...target, fetch: list },
        {
          contract,
          requirements: [requirement('AAA-001')],
          cases: rows({ 'AAA-001.a: reads': async c => void (await read(c)) }),
        },
      )
      return results[0]?.findings.filter(one => one.profile === 'core').map(one => one.message)
    }
    const create = async (c: Context) =>
      (await c.asPrivate('POST', '/tokens', { type: 'token', data: 1 })).body.data.number
    t.same(await messages(create), ['201 body as a whole must be object'])
    t.same(await messages(async c => (await c.asPrivate('GET', '/none')).body.data.number), [
      'expected an object or a list with number in a response, found undefined',
    ])
  },
)

tap.test('only the failed cases of a report are run again', async t => {
  const { report } = await reported(fail)
  const [failed] = report.cases.filter(one => one.outcome === 'fail')
  const file = join(t.testdir({}), 'report.json')
  await writeFile(file, JSON.stringify(report))
  const settings = ['--base-url', 'http://x.test', '--private-key', 'k']
  t.same(readConfig([...settings, '--rerun-failed', file], {}).only, [failed?.id])
  await writeFile(file, JSON.stringify((await reported(pass)).report))
  t.throws(() => readConfig([...settings, '--rerun-failed', file], {}), /no case failed/)
})

tap.test('a seed determines the order', async t => {
  const ids = async (seed: number) => {
    const order: string[] = []
    const table = Object.fromEntries(
      'abcdefgh'.split('').map(letter => [`AAA-001.${letter}: ${letter}` as const, pass]),
    )
    const onResult: RunOptions['onResult'] = result => order.push(result.case.id)
    await run(target, {
      contract,
      requirements: [requirement('AAA-001')],
      cases: rows(table),
      seed,
      onResult,
    })
    return order.join()
  }
  t.equal(await ids(1), await ids(1))
  t.not(await ids(1), await ids(2))
})

tap.test('a verdict has its numbers in TAP, badge, page and data; the last line is the verdict', async t => {
  const { report, tap: text } = await reported(pass, { needs: ['clock'] })
  t.match(text, /\n# verdict: core: 1 of 2, partial$/)
  t.equal(report.summary, 'core: 1 of 2, partial')
  t.match(htmlOf(report), /core: 1 of 2, partial/)
  const folder = t.testdir({})
  await writeReport(folder, report)
  t.match(JSON.parse(await readFile(join(folder, 'badge.json'), 'utf8')), { message: '1 of 2, partial' })
})

tap.test('what to do next is shown in an order in which it builds on what is there', async t => {
  const table = rows({
    'SES-001.a: sessions': fail,
    'TOK-002.a [clock]: tokens not run': pass,
    'TOK-001.a: tokens': fail,
    'SEA-001.a: search': fail,
  })
  const ids = ['SES-001', 'TOK-001', 'TOK-002', 'SEA-001']
  const { report, tap: text } = await reported(
    pass,
    {},
    { cases: table, requirements: ids.map(id => requirement(id)) },
  )
  t.same(
    report.next.map(step => step.requirement ?? step.reason),
    ['TOK-001', 'SEA-001', 'not run: clock', 'SES-001'],
  )
  t.match(
    text,
    /# do these next \(4 in all\):\n# {3}TOK-001 \(tokens, section 4\.1; failed: 1 case, such as TOK-001\.a\): /,
  )
  t.match(htmlOf(report), /Do these next[\s\S]*TOK-001[\s\S]*SEA-001/)
  const claimed = await reported(
    pass,
    {},
    { cases: table, requirements: ids.map(id => requirement(id)), claims: ['sessions'] },
  )
  t.equal(claimed.report.next[0]?.requirement, 'SES-001', 'what is claimed comes first')
  t.match(htmlOf(report), /<a href="specification\.html#TOK-001">/, 'each sentence is linked')
})

tap.test('each report says that nothing was run of a claimed feature', async t => {
  const options = { claims: ['http', 'time'] } as const
  const { code, made, report, tap: text } = await reported(pass, { needs: ['clock'] }, options)
  const reason = 'no case was run of what is claimed: time: 0 of 1 (clock)'
  t.match({ code, invalid: made.invalid }, { code: 2, invalid: reason })
  t.match(text, /^# {3}time: 0 of 1, invalid run$/m)
  t.match(text, /^# verdict: claimed http, time: 1 of 2, invalid run; core: 1 of 2, invalid run$/m)
  t.ok(text.includes(`Bail out! ${reason}`))
  t.ok(htmlOf(report).includes(`The run is not valid: ${reason}`))
  const headline =
    /<p class="verdict half"><strong>claimed http, time: 1 of 2, invalid run<[\s\S]*<p class="small">core: 1 of 2/
  t.match(htmlOf(report), headline)
  t.match(
    junitOf(report),
    /tests="3" failures="0" errors="1" skipped="1"[\s\S]*<error message="no case was run/,
  )
  const folder = t.testdir({})
  await writeReport(folder, report)
  const badge = JSON.parse(await readFile(join(folder, 'badge.json'), 'utf8'))
  t.equal(badge.message, '1 of 2, invalid run')

  const skipped = await reported(pass, { needs: ['clock'] }, { ...options, skip: { 'AAA-002': 'later' } })
  t.match(skipped.made.invalid, /time: 0 of 1 \(later\)$/, 'who skips all of it does not claim it')
  const selected = await reported(pass, { needs: ['clock'] }, { ...options, only: ['AAA-001'] })
  t.equal(selected.code, 3, 'a selection is partial')
  const whole = await reported(pass, { needs: ['clock'] })
  t.equal(whole.code, 3, 'without --claim the profile is partial')
})

tap.test('a report names the server and whom to ask', async t => {
  const { made } = await reported(pass)
  const identity = { name: 'Vault <7>', version: '1.2', contact: 'me@example.org' }
  const redact = redactor(target)
  const report = reportOf(made, { target, identity, through: 'http', startedAt: new Date(0), redact })
  t.match(report.target, identity)
  t.match(htmlOf(report), /Conformance of Vault &lt;7&gt; 1\.2[\s\S]*me@example\.org/)
})

tap.test('two reports are compared case by case', async t => {
  const [good, bad] = [(await reported(pass)).report, (await reported(fail)).report]
  t.match(compare(good, bad), { worse: [/^AAA-002\.a is tried: pass → fail$/], better: [] })
  t.match(compare(bad, good), { worse: [], better: [/fail → pass$/] })
  t.match(compare(good, good), { worse: [], better: [], other: [] })
  const other = { ...good, profile: 'surrogate', claims: ['tokens'] } as const
  t.match(
    compare(good, other).lines.join('\n'),
    /different profiles, core and surrogate[\s\S]*different claims/,
  )
  t.notMatch(compare(good, good).lines.join('\n'), /different/, 'the control')
})

tap.test('reports of several servers are shown beside each other', async t => {
  const folder = t.testdir({})
  const files: string[] = []
  for (const [name, options] of [
    ['One', { profile: 'surrogate' }],
    ['Two | 2', { claims: ['http'] }],
  ] as const) {
    const { made } = await reported(pass, { needs: ['clock'] }, options)
    const identity = { name, version: '1', contact: undefined }
    const about = { target, identity, through: 'http', startedAt: new Date(0), redact: redactor(target) }
    await writeReport(join(folder, name[0] ?? ''), reportOf(made, about))
    files.push(join(folder, name[0] ?? '', 'report.json'))
  }
  let text = ''
  const out = { write: (more: string) => (text += more) }
  t.equal(await main(['table', ...files], {}, out, out), 0)
  t.equal(
    text,
    [
      '| | One 1 (surrogate) | Two   2 1 (core) |',
      '| --- | --- | --- |',
      '| core | 1 of 2, partial | 1 of 2, partial |',
      '| surrogate | 1 of 2, partial | not claimed |',
      '| time | 0 of 1, invalid run | not claimed |',
      '| http | 1 of 2, partial | 1 of 1, conformant |',
      '',
    ].join('\n'),
  )
  t.equal(await main(['table'], {}, out, out), 2, 'without a report')
})

tap.test('the page of requirements has an anchor for each sentence', async t => {
  const all = readRequirements()
  const page = specificationPage(all)
  for (const { id } of all) t.ok(page.includes(`<dt id="${id}">`), id)
})

tap.test('several cases run at the same time, and those that move the clock alone at the end', async t => {
  let running = 0
  let most = 0
  const order: string[] = []
  const step = (name: string) => async () => {
    running++
    most = Math.max(most, running)
    if (name === 'clock') t.equal(running, 1, 'alone')
    await new Promise(resolve => setImmediate(resolve))
    running--
    order.push(name)
  }
  const table = Object.fromEntries([
    ['AAA-001.a [clock]: moves the clock' as const, step('clock')],
    ...'bcdef'.split('').map(letter => [`AAA-001.${letter}: ${letter}` as const, step(letter)] as const),
  ])
  const options = { contract, requirements: [requirement('AAA-001')], cases: rows(table) }
  const capabilities = new Set(['clock'] as const)
  const made = await run(target, { ...options, capabilities, concurrency: 3 })
  t.equal(made.verdicts.core, 'conformant')
  t.equal(most, 3)
  t.equal(order.at(-1), 'clock')
})
