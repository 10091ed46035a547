import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { createVault } from '../../server/src/index.ts'

const execute = promisify(execFile)
const reports = ['badge.json', 'junit.xml', 'report.html', 'report.json', 'specification.html']

/** Cases of every kind of resource. All are run from the sources. */
const some = ['TOK', 'SEA', 'FOR', 'REA', 'INV', 'SES'].flatMap(area => ['--only', `${area}-001`])

/** Runs the command of the package that is installed in a folder against a server. */
export async function runsTheSuite(t: Test, folder: string): Promise<void> {
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
  const command = async (...args: string[]) => {
    const options = { cwd: folder, env, maxBuffer: 2 ** 26 }
    return execute(process.execPath, [program, ...args], options).then(
      ({ stdout }) => ({ stdout, code: 0 }),
      (error: { stdout: string; code: number }) => error,
    )
  }

  for (const through of ['http', 'sdk']) {
    // A run without a clock and a second tenant is partial: exit code 3.
    const { code, stdout } = await command('--through', through, '--report', join(folder, through), ...some)
    t.equal(code, 3)
    t.match(stdout, /^# verdict: core: \d+ of \d+, partial$/m)
    t.notMatch(stdout, /^not ok/m)
    const ran = (stdout.match(/^ok (?!.*# SKIP)/gm) ?? []).length
    t.ok(ran >= some.length / 2, `${ran} cases were run through ${through}`)
    t.same((await readdir(join(folder, through))).sort(), reports)
  }

  const { code } = await command('--base-url', 'http://127.0.0.1:9')
  t.equal(code, 2, 'the exit code without a server')
}
