// In a process of its own: it takes long.
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import tap from 'tap'
import { createVault } from '../server/src/index.ts'

/** Installs the published package alone into an empty folder, and runs its command against a server. */
const execute = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
/** Error messages of npm if the registry cannot be reached. */
const offline = /ENOTCACHED|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/

tap.test(
  'the packed suite runs from an empty folder, with plain requests and through the client',
  async t => {
    const folder = await mkdtemp(join(tmpdir(), 'surrogate-packed-'))
    t.teardown(() => rm(folder, { recursive: true, force: true }))
    await execute('npm', ['pack', '--pack-destination', folder, '--ignore-scripts', '-w', 'conformance'], {
      cwd: root,
    })
    const [tarball = ''] = await readdir(folder)
    await writeFile(join(folder, 'package.json'), '{"private":true}')
    try {
      const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=0']
      await execute('npm', ['install', ...flags, `./${tarball}`], { cwd: folder })
    } catch (error) {
      if (!offline.test(String((error as { stderr?: string }).stderr ?? error))) throw error
      t.comment('skipped: the registry cannot be reached, so the dependencies cannot be installed')
      return
    }
    const vault = createVault({ dev: true })
    t.teardown(() => vault.close())
    const { port } = await vault.listen()
    const { privateKey, publicKey, managementKey } = await vault.createTenant()
    const { PATH = '', HOME = '' } = process.env
    const env = {
      PATH,
      HOME,
      CONFORMANCE_BASE_URL: `http://127.0.0.1:${port}`,
      CONFORMANCE_PRIVATE_KEY: privateKey,
      CONFORMANCE_PUBLIC_KEY: publicKey,
      CONFORMANCE_MANAGEMENT_KEY: managementKey,
    }
    const program = join(folder, 'node_modules/@surrogate/conformance/bin/surrogate-conformance.js')
    for (const through of ['http', 'sdk']) {
      const argv = [program, '--through', through, '--report', join(folder, through)]
      // A run without a clock and a second tenant is partial: exit code 3.
      const { stdout, code } = await execute(process.execPath, argv, {
        cwd: folder,
        env,
        maxBuffer: 64 * 1024 * 1024,
      }).then(
        ({ stdout }) => ({ stdout, code: 0 }),
        (error: { stdout: string; code: number }) => error,
      )
      t.equal(code, 3, through)
      t.match(stdout, /^# verdict: core: \d+ of \d+, partial$/m, through)
      t.notMatch(stdout, /^not ok/m, through)
      t.ok((stdout.match(/^ok/gm) ?? []).length > 150, 'cases were run')
      t.same((await readdir(join(folder, through))).sort(), [
        'badge.json',
        'junit.xml',
        'report.html',
        'report.json',
        'specification.html',
      ])
    }
    const wrong = await execute(process.execPath, [program, '--base-url', 'http://127.0.0.1:9'], {
      cwd: folder,
      env,
    }).catch((error: { code: number }) => error.code)
    t.equal(wrong, 2, 'the exit code without a server')
  },
)
