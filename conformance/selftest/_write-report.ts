/**
 * `npm run conformance [FOLDER]`: runs the suite against our own server with LevelDB over HTTP, once with plain requests
 * and once through the client. Writes the report into a folder, and its totals into the README. Then it runs the suite
 * against `examples/minimal/`, another implementation, and prints the verdicts of both beside each other.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createVault } from '../../server/src/index.ts'
import { main } from '../src/main.ts'
import { minimalClaims, startMinimal } from './_minimal.ts'
import { withTotals } from './_totals.ts'

const { version } = JSON.parse(await readFile(new URL('../../server/package.json', import.meta.url), 'utf8'))
const [folder = 'conformance-report'] = process.argv.slice(2)
const data = await mkdtemp(join(tmpdir(), 'surrogate-conformance-'))
const vault = createVault({
  storage: `level:${data}`,
  dev: true,
  allowPrivateCallbacks: true,
  // Cases send members that the contract does not name.
  log: { info() {}, warn() {}, error() {} },
})
try {
  const { port } = await vault.listen()
  const [own, other] = [await vault.createTenant(), await vault.createTenant()]
  const url = `http://127.0.0.1:${port}`
  const flags = {
    'base-url': url,
    'private-key': own.privateKey,
    'public-key': own.publicKey,
    'management-key': own.managementKey,
    'other-private-key': other.privateKey,
    'other-management-key': other.managementKey,
    'webhook-secret': own.webhookSecret,
    'clock-url': `${url}/_dev/clock`,
    'callback-host': '127.0.0.1',
    capability: 'read-your-writes',
    profile: 'surrogate',
    name: 'Surrogate',
    'server-version': version,
    contact: 'the maintainers, by an issue',
  }
  const argv = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
  const codes = [
    await main([...argv, '--through', 'sdk', '--report', join(folder, 'sdk')], {}),
    await main([...argv, '--report', folder], {}),
  ]
  const minimal = await startMinimal()
  const implementation = {
    'base-url': minimal.baseUrl,
    'private-key': minimal.privateKey,
    'management-key': minimal.managementKey,
    'other-private-key': minimal.otherPrivateKey,
    claim: minimalClaims,
    name: 'examples/minimal',
  }
  const flagsOf = Object.entries(implementation).flatMap(([name, value]) =>
    [value].flat().flatMap(each => [`--${name}`, each]),
  )
  codes.push(await main([...flagsOf, '--report', join(folder, 'minimal')], {}))
  await minimal.close()
  await main(['table', join(folder, 'report.json'), join(folder, 'minimal/report.json')], {})
  process.exitCode = Math.max(...codes)
  const readme = new URL('../README.md', import.meta.url)
  const report = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'))
  await writeFile(readme, withTotals(await readFile(readme, 'utf8'), report.totals))
} finally {
  await vault.close()
  await rm(data, { recursive: true, force: true })
}
