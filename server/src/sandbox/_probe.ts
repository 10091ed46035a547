/**
 * Starts plain Node, without the permission model, under the wrapper that this host uses for formulas, and lets it
 * try what a process could do that has escaped from SES. Then runs two formulas. Prints the results and the claimed
 * isolation as JSON.
 * Argument: the tools that the host pretends not to have, as JSON.
 */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { body, openSandbox } from './_fixture.ts'
import { findLauncher } from './processes/launch.ts'
import { OsProcess } from './processes/runner.ts'
import { defaultLimits } from './sandbox-limits.ts'

const folder = mkdtempSync(join(tmpdir(), 'surrogate-probe-'))
const secret = join(folder, 'secret')
writeFileSync(secret, 'secret', { mode: 0o600 })
const server = createServer(socket => socket.end()).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo

const tries = `
  const { readFileSync, readdirSync } = require('node:fs')
  const { connect, Socket } = require('node:net')
  const socket = new Socket({ fd: 1, readable: true, writable: true })
  const outcome = act => { try { return act() ?? 'done' } catch (error) { return error.code } }
  const results = {
    secret: outcome(() => readFileSync(${JSON.stringify(secret)}, 'utf8')),
    public: outcome(() => { readFileSync('/etc/passwd') }),
    environ: outcome(() => { readFileSync('/proc/${process.pid}/environ') }),
    root: outcome(() => readdirSync('/')),
    signal: outcome(() => { process.kill(${process.pid}, 0) }),
  }
  const connection = connect(${port}, '127.0.0.1')
  connection.on('connect', () => { connection.destroy(); report('done') })
  connection.on('error', error => report(error.code))
  const report = network => socket.write(JSON.stringify({ ...results, network }) + '\\n')
  socket.resume()
`
const without = JSON.parse(process.argv.at(-1) ?? '[]')
const { isolation, launch } = await findLauncher({
  limits: defaultLimits(1),
  boot: tries,
  without,
  withoutPermissionModel: true,
})
const launched = launch()
const socket = launched.child.stdout as Socket
const [line] = await once(socket, 'data')
const osProcess = new OsProcess(launched)
const { pid } = osProcess
osProcess.lowerPriority()
const of = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'latin1')
const groupOf = (stat: string) => stat.split(') ').at(-1)?.split(' ')[2]
const capabilities = [...of('status').matchAll(/^Cap(?:Inh|Prm|Eff|Amb):\t(\w+)$/gm)].map(([, set]) => set)
const results = {
  isolation,
  ...JSON.parse(String(line)),
  isServersUser: /^Uid:\t(\d+)/m.exec(of('status'))?.[1] === `${process.getuid?.()}`,
  capabilities: [...new Set(capabilities)],
  oomScoreAdj: Number(of('oom_score_adj')),
  niceness: Number(of('stat').split(') ').at(-1)?.split(' ')[16]),
  usage: osProcess.usage(),
  isForked: launched.isForked,
  isInServersGroup: groupOf(of('stat')) === groupOf(readFileSync('/proc/self/stat', 'latin1')),
}
osProcess.kill()
await once(launched.child, 'exit')
let isGone = false
try {
  readFileSync(`/proc/${pid}/stat`)
} catch {
  isGone = true
}
const sandbox = openSandbox({ teardown() {} }, {}, { without })
const answer = await sandbox.raw(body('return { raw: 1 }'))
const overflow = await sandbox.formula(body('const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))'))
const ran = [answer, overflow.kind === 'failed' && overflow.reason, sandbox.isolation()]
await sandbox.close()
process.stdout.write(JSON.stringify({ ...results, isGone, ran }))
server.close()
rmSync(folder, { recursive: true })
