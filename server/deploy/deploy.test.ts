// Only in CI: it builds an image.
// In a process of its own: it installs packages, which takes long.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readDockerfile, readIgnored, textsOf } from './_dockerfile.ts'
import { buildImage, runNpm } from './_image.ts'

t.setTimeout(900_000)
t.comment('timeout=900000')
const root = fileURLToPath(new URL('../..', import.meta.url))
const dockerfile = new URL('Dockerfile', import.meta.url)
const stages = readDockerfile(dockerfile)
const image = stages.at(-1)
/** Set by CI: also runs the first stage, which installs everything and builds. It takes minutes. */
const isWhole = process.env.SURROGATE_IMAGE_BUILD === 'whole'

t.test('the image is built in stages, and runs as an ordinary user', async t => {
  t.ok(stages.length > 1)
  t.equal(new Set(stages.map(({ base }) => base)).size, 1, 'built on the system that it runs on')
  t.same(textsOf(image, 'USER'), ['node'])
  t.same(textsOf(image, 'STOPSIGNAL'), ['SIGTERM'])
  t.same(textsOf(image, 'VOLUME'), ['/data'])
  const names = image?.instructions.map(({ name }) => name) ?? []
  t.ok(names.indexOf('RUN') < names.indexOf('USER'))
  t.ok(names.indexOf('USER') < names.indexOf('ENTRYPOINT'))
  for (const text of textsOf(image, 'COPY')) t.match(text, /^--from=(build|packages) /, 'no sources')
  for (const name of ['ENTRYPOINT', 'HEALTHCHECK']) t.equal(textsOf(image, name).length, 1)
  t.notMatch(textsOf(image, 'ENV').join(), /KEY|BOOTSTRAP/, 'no secret is part of the image')
})

t.test('the build is sent sources only', async t => {
  const isIgnored = readIgnored(new URL('Dockerfile.dockerignore', import.meta.url))
  const left = [
    '.git/config',
    'node_modules/a/b.js',
    'server/node_modules/a.js',
    'sdk/dist/index.js',
    'data/store/1.ldb',
  ]
  const secrets = [
    '.env',
    'server/.env',
    'server/prod.env',
    'data/master.key',
    'server/data/master.key',
    'a.key',
  ]
  for (const path of [...left, ...secrets, 'server/src/generated/facts.ts', 'release/notes.md'])
    t.ok(isIgnored(path), path)
  for (const path of ['package.json', '.npmrc', 'openapi.yaml', 'server/src/index.ts', 'sdk/package.json'])
    t.notOk(isIgnored(path), path)
})

/** Takes the place of the first stage, whose result the working tree has. */
function copyBuild(folder: string): void {
  for (const path of ['dist', 'openapi.yaml', 'LICENSE'])
    cpSync(join(root, 'server', path), join(folder, 'server', path), { recursive: true })
}

const offline = /ENOTCACHED|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/

t.test('its steps make a server that starts, is healthy, and stops', async t => {
  const target = mkdtempSync(join(tmpdir(), 'surrogate-image-'))
  t.teardown(() => rmSync(target, { recursive: true, force: true }))
  chmodSync(target, 0o755)
  const ran: string[] = []
  const app = await buildImage({
    context: root,
    target,
    run: async (stage, command, folder) => {
      ran.push(command)
      if (stage === 'build' && !isWhole) copyBuild(folder)
      else await runNpm(command, folder)
    },
  }).catch(error => {
    if (!offline.test(String(error.stderr ?? error))) throw error
    return undefined
  })
  if (app === undefined) return t.comment('skipped: the registry cannot be reached')
  t.equal(ran.length, 2)
  const folder = join(app, textsOf(image, 'WORKDIR')[0] ?? '')
  for (const name of ['msw', 'typescript', 'tap'])
    t.notOk(existsSync(join(folder, 'node_modules', name)), name)

  const data = join(target, 'data')
  mkdirSync(data, { mode: 0o700 })
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(data, 1000, 1000)
  const drop = isRoot ? ['setpriv', '--reuid=1000', '--regid=1000', '--clear-groups', '--'] : []
  const given = Object.fromEntries(
    textsOf(image, 'ENV').flatMap(text =>
      [...text.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    ),
  )
  const env = (port: string) => ({
    PATH: process.env.PATH ?? '',
    ...given,
    SURROGATE_STORAGE: given.SURROGATE_STORAGE?.replace('/data', data),
    SURROGATE_PORT: port,
    SURROGATE_MASTER_KEY: randomBytes(32).toString('base64'),
  })
  t.equal(given.SURROGATE_STORAGE, 'level:/data', 'on the volume')
  const [program = '', ...args] = [...drop, ...JSON.parse(textsOf(image, 'ENTRYPOINT')[0] ?? '')]
  const server = spawn(program, args, { cwd: folder, env: env('0') })
  t.teardown(() => server.kill('SIGKILL'))
  let [output, errors] = ['', '']
  const ended = new Promise<number | null>(resolve => server.once('close', resolve))
  server.stderr.on('data', text => {
    errors += text
  })
  const port = await new Promise<string>((resolve, reject) => {
    server.stdout.on('data', text => {
      output += text
      const [, found] = /listening on http:\/\/0\.0\.0\.0:(\d+)/.exec(output) ?? []
      if (found) resolve(found)
    })
    void ended.then(() => reject(new Error(errors)))
  })

  const [, command = ''] = /CMD (\[.+\])$/.exec(textsOf(image, 'HEALTHCHECK')[0] ?? '') ?? []
  const isHealthy = (at: string) =>
    new Promise<boolean>(resolve => {
      const [file = '', ...words] = JSON.parse(command)
      execFile(file, words, { cwd: folder, env: env(at) }, error => resolve(!error))
    })
  t.ok(await isHealthy(port))
  t.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200)
  server.kill(textsOf(image, 'STOPSIGNAL')[0] as NodeJS.Signals)
  t.equal(await ended, 0)
  t.notOk(await isHealthy(port), 'control: not after its end')
  t.equal(errors, '')
})

t.test('the unit of systemd has directives that exist', async t => {
  const unit = readFileSync(new URL('surrogate.service', import.meta.url), 'utf8')
  for (const wanted of [
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'User=surrogate',
    'OOMPolicy=continue',
  ])
    t.match(unit, new RegExp(`^${wanted}$`, 'm'))
  t.notMatch(unit, /^(MemoryDenyWriteExecute|RestrictNamespaces|SystemCallFilter)=/m)
  const analyze = '/usr/bin/systemd-analyze'
  if (!existsSync(analyze)) return t.comment('systemd-analyze is not installed: directives are not checked')
  const folder = t.testdir({})
  const complaints = (text: string) => {
    const file = join(folder, 'surrogate.service')
    writeFileSync(file, text)
    return spawnSync(analyze, ['verify', file], { encoding: 'utf8' }).stderr
  }
  // Its program and its user are not on this machine.
  const here = unit.replace(/^ExecStart=.*/m, 'ExecStart=/bin/true').replace(/^(User|Group)=.*/gm, '$1=root')
  t.equal(complaints(here), '')
  t.match(complaints(here.replace('OOMPolicy', 'OOMPolicyy')), /Unknown key/, 'control')
})
