import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { createVault } from '../../server/src/index.ts'

const execute = promisify(execFile)
const reports = ['badge.json', 'junit.xml', 'report.html', 'report.json', 'specification.html']

/** Cases of every kind of resource, to send through the client. All are sent through that of the sources. */
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

  // A run without a clock and a second tenant is partial: exit code 3.
  const whole = await command('--report', join(folder, 'http'))
  t.equal(whole.code, 3)
  t.match(whole.stdout, /^# verdict: core: \d+ of \d+, partial$/m)
  t.notMatch(whole.stdout, /^not ok/m)
  t.ok((whole.stdout.match(/^ok/gm) ?? []).length > 150, 'cases were run')
  t.same((await readdir(join(folder, 'http'))).sort(), reports)

  const part = await command('--through', 'sdk', '--report', join(folder, 'sdk'), ...some)
  t.equal(part.code, 3)
  t.notMatch(part.stdout, /^not ok/m, 'through the client, too')
  t.ok((part.stdout.match(/^ok (?!.*# SKIP)/gm) ?? []).length >= some.length / 2, 'its cases were run')
  t.same((await readdir(join(folder, 'sdk'))).sort(), reports)

  const { code } = await command('--base-url', 'http://127.0.0.1:9')
  t.equal(code, 2, 'the exit code without a server')
}
