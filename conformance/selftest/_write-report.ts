/**
 * `npm run conformance [FOLDER]`: runs the suite against our own server with LevelDB over HTTP, once with plain requests
 * and once through the client. Writes the report, publishes it in `reports/`, and writes its totals into the README.
 */
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createVault } from '../../server/src/index.ts'
import { main } from '../src/main.ts'
import type { Report } from '../src/report/model.ts'
import { outcomes } from '../src/verdict.ts'
import { published, withTable } from './published.ts'

const { version } = JSON.parse(await readFile(new URL('../../server/package.json', import.meta.url), 'utf8'))
const [folder = 'conformance-report'] = process.argv.slice(2)
const data = await mkdtemp(join(tmpdir(), 'surrogate-conformance-'))
const vault = createVault({ storage: `level:${data}`, dev: true, allowPrivateCallbacks: true })
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
  process.exitCode = Math.max(...codes)
  if (process.exitCode === 0) await publish(folder)
  await showTotals(JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')))
} finally {
  await vault.close()
  await rm(data, { recursive: true, force: true })
}

/** Copies our report into `reports/`, and updates the table of published reports. */
async function publish(from: string): Promise<void> {
  const to = new URL('surrogate/', published)
  await mkdir(to, { recursive: true })
  for (const name of ['report.json', 'report.html', 'specification.html', 'badge.json'])
    await copyFile(join(from, name), new URL(name, to))
  const table = new URL('README.md', published)
  await writeFile(table, withTable(await readFile(table, 'utf8')))
}

async function showTotals(report: Report): Promise<void> {
  const readme = new URL('../README.md', import.meta.url)
  const shown = outcomes.filter(name => report.cases.some(one => one.outcome === name))
  const table = [
    `| section | ${shown.join(' | ')} |`,
    `| --- |${' ---: |'.repeat(shown.length)}`,
    ...Object.entries(report.totals).map(
      ([section, counts]) => `| ${section} | ${shown.map(name => counts[name] ?? '').join(' | ')} |`,
    ),
  ].join('\n')
  const text = await readFile(readme, 'utf8')
  const between = /(<!-- totals -->\n)[\s\S]*(<!-- end of totals -->)/
  if (!between.test(text)) throw new Error('conformance/README.md has no <!-- totals -->')
  await writeFile(
    readme,
    text.replace(between, (_all, start, end) => `${start}${table}\n${end}`),
  )
}
