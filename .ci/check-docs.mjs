/**
 * Opens /docs of the built server in the browser named by the argument, with no other host to be reached, and
 * looks for every operation of the contract.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'

const [browser = 'chromium'] = process.argv.slice(2)
const path = name => fileURLToPath(new URL(`../${name}`, import.meta.url))
const { paths } = parse(readFileSync(path('openapi.yaml'), 'utf8'))
const operations = Object.values(paths)
  .flatMap(item => Object.values(item))
  .flatMap(operation => operation?.operationId ?? [])

const profile = mkdtempSync(join(tmpdir(), 'surrogate-docs-'))
const server = spawn(
  process.execPath,
  [path('server/bin/surrogate-server.js'), '--dev', '--storage=memory:', '--port=0'],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
try {
  const url = await new Promise((resolve, reject) => {
    let said = ''
    server.once('exit', () => reject(new Error('the server ended before it was ready')))
    server.stdout.on('data', chunk => {
      said += chunk
      const found = /listening on (http:\S+)/.exec(said)
      if (found) resolve(found[1])
    })
  })
  const { stdout: page } = await promisify(execFile)(
    browser,
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      // The page is drawn once it has fetched the contract, which is after it was loaded.
      '--virtual-time-budget=20000',
      `--user-data-dir=${profile}`,
      '--dump-dom',
      `${url}/docs`,
    ],
    { maxBuffer: 64 * 1024 * 1024, timeout: 120_000 },
  )
  const missing = operations.filter(id => !page.includes(id))
  process.stdout.write(`${operations.length - missing.length} of ${operations.length} operations are shown\n`)
  if (operations.length === 0 || missing.length > 0) {
    process.stdout.write(`not shown: ${missing.join(', ')}\n`)
    process.exitCode = 1
  }
} finally {
  if (server.exitCode === null) {
    const gone = once(server, 'exit')
    server.kill()
    await gone
  }
  rmSync(profile, { recursive: true, force: true })
}
