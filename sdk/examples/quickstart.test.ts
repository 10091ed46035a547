import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Reads the address and the keys that a server prints when it starts. */
async function readIntroduction(server: ChildProcess): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  if (!server.stdout) throw new Error('the server has no output to read')
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /listening on (\S+)/.exec(line)?.[1]
    if (url) found.SURROGATE_URL = url
    const [, kind, key] = /^\s+(private|management) key\s+(\S+)/.exec(line) ?? []
    if (kind && key) found[`SURROGATE_${kind.toUpperCase()}_KEY`] = key
    if (Object.keys(found).length === 3) return found
  }
  throw new Error('the server left without saying where it is')
}

t.test('the quickstart works against a server started by its command', async t => {
  const server = spawn(
    process.execPath,
    ['server/bin/surrogate-server.js', '--dev', '--port', '0', '--storage', `level:${t.testdir()}`],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  t.teardown(async () => {
    server.kill()
    if (server.exitCode === null) await once(server, 'exit')
  })
  const environment = await readIntroduction(server)
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import=tsx', 'sdk/examples/quickstart.ts'],
    {
      cwd: root,
      env: { ...process.env, ...environment },
    },
  )
  t.match(stdout, /stored a card as token [0-9a-f-]{36}/)
  t.match(stdout, /the support desk sees \{[^}]*number: 'XXXXXXXXXXXX4242'[^}]*\}/)
  t.match(stdout, /the backend sees \{[^}]*number: '4242424242424242'[^}]*cvc: '123'[^}]*\}/)
  t.match(stdout, /valid until 12\/2035/)
  t.match(stdout, /tokens of c_\S+: [0-9a-f-]{36} XXXXXXXXXXXX4242/)
  t.match(stdout, /deleted the card/)
  t.match(stdout, /deleted the application/)
})
