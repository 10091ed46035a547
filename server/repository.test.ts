/** Checks the files of the repository that no program of ours reads: workflows, SECURITY.md and design decisions. */
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8')
const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(`${root}${folder}`)
    .filter(name => ending.test(name))
    .map(name => `${folder}/${name}`)

interface Workflow {
  readonly on: object
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] } & Record<string, unknown>>>
}
interface Step {
  readonly uses?: string
  readonly run?: string
}

const workflows = filesIn('.github/workflows', /\.yml$/)
const stepsOf = (path: string) =>
  Object.values((parse(read(path)) as Workflow).jobs).flatMap(({ steps }) => steps)

t.test('each workflow runs scripts that exist, with few rights and a time limit', async t => {
  t.same(
    workflows,
    ['ci', 'nightly', 'release'].map(name => `.github/workflows/${name}.yml`),
  )
  const { scripts } = JSON.parse(read('package.json'))
  for (const path of workflows) {
    const { on, permissions, jobs } = parse(read(path)) as Workflow
    t.ok(Object.keys(on).length > 0, path)
    t.same(permissions, { contents: 'read' }, `${path}: a job that needs more says so itself`)
    for (const job of Object.values(jobs)) {
      t.ok(job['timeout-minutes'], path)
      for (const { uses, run } of job.steps) {
        t.equal([uses, run].filter(Boolean).length, 1, path)
        if (uses) t.match(uses, /^actions\/[a-z-]+@v\d+$/)
        for (const line of run?.split('\n') ?? []) {
          if (line.startsWith('.ci/')) accessSync(`${root}${line.split(' ')[0]}`, constants.X_OK)
          const name = /^npm run (\S+)/.exec(line)?.[1]
          if (name) t.ok(name in scripts, `${path}: ${line}`)
          t.match(
            line,
            /^(\.ci\/|npm (run|ci)|gh )/,
            `${path}: what CI does is in .ci/, so that anybody can run it`,
          )
        }
      }
    }
  }
  const commands = workflows.flatMap(path => stepsOf(path).flatMap(({ run }) => run ?? []))
  for (const command of ['.ci/run', '.ci/nightly', 'npm run release'])
    t.ok(commands.includes(command), command)
})

t.test('CI runs on every supported release of Node that is out', async t => {
  const { matrix } = parse(read('.github/workflows/ci.yml')).jobs.checks.strategy
  t.same(matrix.node, [20, 22, 24])
})

t.test('templates and settings are YAML, and nothing names a registry or holds a secret', async t => {
  const settings = ['.github/dependabot.yml', ...filesIn('.github/ISSUE_TEMPLATE', /\.yml$/)]
  for (const path of settings) t.type(parse(read(path)), 'object', path)
  for (const path of [...settings, ...workflows])
    t.notMatch(read(path), /registry|secrets\.|_authToken|https?:/, path)
})

t.test('each design decision is a short record, and the list has all of them', async t => {
  const records = filesIn('decisions', /\.md$/).filter(path => !path.endsWith('README.md'))
  t.ok(records.length > 10)
  const listed = read('decisions/README.md').matchAll(/^- \[(.+)\]\((.+)\)$/gm)
  const titles = Object.fromEntries([...listed].map(([, title, name]) => [`decisions/${name}`, title]))
  t.same(Object.keys(titles).sort(), records.sort())
  for (const path of records) {
    const text = read(path)
    t.ok(text.startsWith(`# ${titles[path]}\n\nDate: 202`), path)
    t.ok(text.split('\n').length <= 20, path)
    const parts = [...text.matchAll(/^\*\*(.+)\.\*\* \S/gm)].map(match => match[1])
    t.same(parts, ['Context', 'Decision', 'Figure', 'What would change our mind'], path)
  }
})

const madeFolders = new Set([
  '.git',
  'node_modules',
  'dist',
  'generated',
  '.tap',
  'release',
  'report',
  'data',
])

function* textsIn(folder: string): Generator<string> {
  for (const entry of readdirSync(`${root}${folder}`, { withFileTypes: true })) {
    const path = `${folder}${entry.name}`
    if (entry.isDirectory()) {
      if (!madeFolders.has(entry.name)) yield* textsIn(`${path}/`)
    } else if (/\.(md|ts|mjs|cjs|js|json|ya?ml|txt|service|html)$|^[^.]+$|Dockerfile|run$/.test(entry.name))
      yield path
  }
}

t.test('links and names of files lead somewhere', async t => {
  const pages = ['SECURITY.md', 'CONTRIBUTING.md', ...filesIn('decisions', /\.md$/)]
  for (const page of pages) {
    const text = read(page)
    const folder = page.includes('/') ? `${page.split('/')[0]}/` : ''
    for (const [, link = ''] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g))
      if (!/^https?:/.test(link)) t.ok(existsSync(`${root}${folder}${link}`), `${page}: ${link}`)
    for (const [, name = ''] of text.matchAll(/`((?:server|sdk|conformance)\/[\w./-]+)`/g))
      t.ok(existsSync(`${root}${name}`), `${page}: ${name}`)
  }
  const all = [...textsIn('')]
  for (const page of all.filter(path => path.endsWith('.md') && path !== 'CHANGELOG.md'))
    for (const [, name = ''] of read(page).matchAll(/`(?:\.\.\/)*([\w./-]+\.ts)`/g))
      t.ok(
        all.some(path => `/${path}`.endsWith(`/${name}`)) || /\bgenerated\//.test(name),
        `${page}: ${name}`,
      )
})

t.test('every check and measurement that a text names is there', async t => {
  const all = [...textsIn('')]
  for (const command of ['bench', 'verify']) {
    const programs = read(`server/verify/${command === 'bench' ? 'bench/' : ''}run.ts`)
    const names = [...programs.matchAll(/^ {2}(\w+): '/gm)].map(([, name]) => name)
    t.ok(names.length > 5)
    const named = new RegExp(`npm run ${command} -- ([a-z]\\w*)`, 'g')
    for (const path of all.filter(one => one !== 'CHANGELOG.md'))
      for (const [, name] of read(path).matchAll(named)) t.ok(names.includes(name), `${path}: ${name}`)
  }
})

t.test('no text runs a program by a name that anybody may register', async t => {
  // npx runs the package of that name if ours is not installed, with a master key in its environment.
  const unscoped =
    /\b(?:npx|bunx|npm exec|(?:pnpm|yarn) dlx)\s+(?:-\S+\s+)*surrogate-(?:server|conformance)\b/
  const all = [...textsIn('')]
  const left = all.filter(path => unscoped.test(read(path)))
  t.same(left, [])
  const scoped = all.filter(path => /npx @surrogate\/(server|conformance)/.test(read(path)))
  for (const path of ['README.md', 'server/README.md', 'server/guide/run.md', 'conformance/README.md'])
    t.ok(scoped.includes(path), `control: ${path}`)
  t.match(['npx', '--yes', 'surrogate-server'].join(' '), unscoped, 'control')
})

/** Tests that may look at real time or wait for it, with the reason. None asserts that something takes less than a time. */
const inRealTime: Readonly<Record<string, string>> = {
  'conformance/selftest/honest/variations.ts': 'a server with a rate limit, which is one of real time',
  'conformance/selftest/hostile.test.ts': 'polls a process',
  'conformance/src/cases/invocation-limits.case.ts':
    'the formula waits, so that another invocation finds it running',
  'conformance/src/harness/context.ts': 'polls a server until a deadline that the target sets',
  'conformance/src/harness/end.ts': 'ends a run that hangs',
  'conformance/src/harness/guard.ts': 'waits as a Retry-After says',
  'conformance/src/harness/within.ts': 'the deadline of a request, which the target sets',
  'conformance/src/run.ts': 'the report says how long cases took',
  'sdk/platform.test.ts': 'names the functions that a client may call',
  'sdk/src/call.test.ts': 'unhandled rejections are reported before the next timer',
  'sdk/src/transport.test.ts': 'a timer with too large a delay fires after a millisecond',
  'server/src/assembly/close.test.ts': 'the formula waits, so that the vault closes while it runs',
  'server/src/base/time/clock.test.ts': 'keeps the process alive',
  'server/src/egress/peers.test.ts':
    'fails a test that would hang; only silence shows that a request is over',
  'server/src/http/transport/_raw-connection.ts': 'polls connections; sends byte by byte',
  'server/src/program/commands/copy.test.ts': 'polls a process',
  'server/src/proxy/hostile.test.ts': 'shows that a request still waits',
  'server/src/sandbox/admission/scheduler.test.ts': 'polls a process',
  'server/src/sandbox/processes/pool.test.ts': 'shows that a limit of real time has not begun',
  'server/verify/support/hostile-peers.ts': 'a peer that resets its connection late',
}

t.test('tests look at real time only where the list says why', async t => {
  const timed =
    /\bperformance\.now|\bhrtime\b|memoryUsage|cpuUsage|monitorEventLoopDelay|eventLoopUtilization|\bsetTimeout\b/
  const tests = [...sourcesIn('conformance'), ...sourcesIn('sdk'), ...sourcesIn('server')].filter(
    path =>
      /\.test\.ts$|\/_[^/]+\.ts$|^conformance\/|^server\/verify\/support\//.test(path) &&
      !/^conformance\/(scripts|examples)\//.test(path),
  )
  const found = tests.filter(path => {
    const text = read(path)
    // The time limit of a test file is tap's. The code of formulas is text.
    const code = text.replaceAll(/\b(tap|t)\.setTimeout/g, '').replaceAll(/`[^`]*`/g, '')
    return !/^\/\/ Only at night: /m.test(text.slice(0, 300)) && timed.test(code)
  })
  const left = found.filter(path => !(path in inRealTime) && path !== 'server/repository.test.ts')
  t.same(left, [])
  const seen = Object.keys(inRealTime).filter(path => !tests.includes(path))
  t.same(seen, [], 'the list has no other files')
})

function sourcesIn(folder: string): string[] {
  return readdirSync(`${root}${folder}`, { withFileTypes: true }).flatMap(entry => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return /^(node_modules|dist|generated)$/.test(entry.name) ? [] : sourcesIn(path)
    return /\.ts$/.test(entry.name) ? [path] : []
  })
}

t.test('CONTRIBUTING says of each dependency what it does here', async t => {
  const [, table = ''] = /\n## Dependencies\n(.*?)\n## /s.exec(read('CONTRIBUTING.md')) ?? []
  const named = new Set([...table.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell]) => cell?.split(', ') ?? []))
  for (const folder of ['server', 'sdk', 'conformance']) {
    const { dependencies = {}, peerDependencies = {} } = JSON.parse(read(`${folder}/package.json`))
    for (const name of Object.keys({ ...dependencies, ...peerDependencies }))
      t.ok(named.has(`\`${name}\``), `${folder}: ${name}`)
  }
})
