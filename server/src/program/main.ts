import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import type { NewTenant } from '../access/tenant-settings.ts'
import type { VaultFacts } from '../assembly/facts.ts'
import { createLog, type Log, logLine } from '../base/log.ts'
import { headerPrefix as defaultPrefix } from '../generated/facts.ts'
import { lineWriter } from '../observe/line-writer.ts'
import { refuseAltered } from '../options/arguments.ts'
import { type Config, helpText, optionsOf, readConfig } from '../options/config.ts'
import { ConfigError } from '../options/errors.ts'
import { withProfile } from '../options/profile.ts'
import { describeIsolation } from '../sandbox/processes/isolation.ts'
import { nameOfStore, parseStorage } from '../storage/location.ts'
import { createVault, type Vault } from '../vault.ts'
import { version } from '../version.ts'
import { readBootstrapFile, reloadOnHangup } from './bootstrap-file.ts'
import { warnIfExposed } from './exposed-file.ts'
import { ReadyFile, readyFacts } from './ready-signal.ts'
import { explain } from './refusals.ts'

const exitRefused = 2

const ignore = () => {}

/** A server needs none of them, and starts without their modules. */
const loadCommands = () => import('./commands/table.ts')

/** Runs the server until a signal ends it, or runs one command. Resolves with the exit code. */
export async function main(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  // A reader that goes away, as in `surrogate-server | head`, must end neither a server nor a command halfway.
  for (const stream of [process.stdout, process.stderr])
    if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore)
  // Node would open its debugger, through which anybody on this machine could read the master key.
  if (process.listenerCount('SIGUSR1') === 0) process.on('SIGUSR1', () => {})
  const [first] = argv
  const isCommand = first !== undefined && !first.startsWith('-')
  try {
    refuseAltered(argv, environment)
    if (isCommand) {
      const { runCommand } = await loadCommands()
      const report = (line: string) => process.stderr.write(`${line}\n`)
      const { output, exitCode } = await runCommand(first, argv.slice(1), environment, report, ask)
      await print(output)
      return exitCode
    }
    // It would end the process until the server can reload.
    if (process.listenerCount('SIGHUP') === 0) process.on('SIGHUP', () => {})
    const config = readConfig(argv, environment)
    if (config.help) return await print(helpText((await loadCommands()).commands))
    if (config.version) return await print(`${version}\n`)
    const { storage = '', headerPrefix = defaultPrefix, dev = false, profile, bootstrap } = config
    const file = config.readyFile === undefined ? undefined : new ReadyFile(config.readyFile)
    const log = createLog(lineWriter(process.stderr), config.logLevel)
    const options = withProfile({
      ...optionsOf(config),
      // The default does not count more than the profile.
      headerPrefix: profile !== undefined && headerPrefix === defaultPrefix ? undefined : headerPrefix,
      bootstrap: bootstrap === undefined ? undefined : await readBootstrapFile(bootstrap),
      metrics: config.metricsPort !== undefined,
      developmentTenant: dev,
      warmFormulas: true,
      log,
    })
    // Its header prefix is printed.
    const served = { ...config, headerPrefix: options.headerPrefix ?? headerPrefix }
    log.info('start', { version, storage: nameOfStore(parseStorage(storage)), pid: process.pid, dev })
    const vault = createVault(options)
    const stopReloads = reloadOnHangup(vault, bootstrap, log)
    return await serve(vault, served, log, file).finally(stopReloads)
  } catch (error) {
    const refusal = explain(error)
    if (refusal === undefined) throw error
    // Whoever collects the log of a server gets nothing but lines of JSON.
    const isForPeople = isCommand || process.stderr.isTTY
    process.stderr.write(
      isForPeople ? `surrogate-server: ${refusal}\n` : logLine('error', 'start refused', { reason: refusal }),
    )
    return exitRefused
  }
}

/** The configuration, with the header prefix that the profile may have. */
type Served = Config & { readonly headerPrefix: string }

async function serve(vault: Vault, config: Served, log: Log, file: ReadyFile | undefined): Promise<number> {
  try {
    // Counts from the first request on.
    const metrics = await listenForMetrics(vault, config)
    // Not ready yet: modules of formulas may still be bundled.
    const { url } = await vault.listen({ host: config.host, port: config.port })
    const facts = await vault.ready()
    await warn(log, 'the bootstrap file', config.bootstrap)
    await warn(log, 'the master key', facts.masterKeyFile ?? config.masterKeyFile)
    // Before the ready line: a signal that follows it at once must be handled.
    const ended = signal('SIGTERM', 'SIGINT')
    const ready = readyFacts(url, metrics, facts)
    await file?.write(ready)
    log.info('ready', { url, metrics })
    if (config.json) say(`${ready}\n`)
    else {
      if (metrics !== undefined) say(`metrics at ${metrics}/metrics\n`)
      greet(facts, url, config.headerPrefix)
    }
    const name = await ended
    log.info('drain', { signal: name, seconds: config.drainSeconds })
    file?.remove()
    vault.drain()
    // A second signal ends the wait.
    if (config.drainSeconds > 0)
      await Promise.race([
        wait(config.drainSeconds * 1000, undefined, { ref: false }),
        signal('SIGTERM', 'SIGINT'),
      ])
  } finally {
    await vault.close()
  }
  log.info('stop', { exit_code: 0 })
  return 0
}

function greet(facts: VaultFacts, url: string, prefix: string): void {
  if (facts.madeMasterKey !== undefined) {
    say(`made a master key for development in ${facts.madeMasterKey}; the data cannot be read without it\n`)
  }
  say(`surrogate-server ${version} listening on ${url}\n`)
  if (facts.development) say(introduction(facts.development, url, prefix))
  void facts.isolation?.then(isolation => say(`${describeIsolation(isolation)}\n`))
}

async function warn(log: Log, role: string, file: string | undefined): Promise<void> {
  const warning = file === undefined ? undefined : await warnIfExposed(role, file)
  if (warning !== undefined) log.warn(warning)
}

async function listenForMetrics(vault: Vault, config: Config): Promise<string | undefined> {
  const { metricsPort: port, metricsHost: host } = config
  return port === undefined ? undefined : (await vault.listenForMetrics({ host, port })).url
}

function introduction(tenant: NewTenant, url: string, prefix: string): string {
  const card = `{"type":"card","data":{"number":"4242424242424242","expiration_month":12,"expiration_year":2030}}`
  return [
    '',
    `  public key      ${tenant.publicKey}`,
    `  private key     ${tenant.privateKey}`,
    `  management key  ${tenant.managementKey}`,
    `  webhook secret  ${tenant.webhookSecret}`,
    '',
    'Store a card:',
    '',
    `  curl -s ${url}/tokens -H '${prefix}-API-KEY: ${tenant.privateKey}' -H 'Content-Type: application/json' -d '${card}'`,
    '',
    // The fragment of an address stays in the browser.
    `The contract is at ${url}/docs, and a page that shows what happens at ${url}/_dev#key=${tenant.managementKey}`,
    '',
  ].join('\n')
}

function signal(...names: NodeJS.Signals[]): Promise<string> {
  return new Promise(resolve => {
    for (const name of names) process.once(name, () => resolve(name))
  })
}

async function ask(question: string): Promise<string> {
  process.stderr.write(question)
  const lines = createInterface({ input: process.stdin })
  for await (const line of lines) return line
  return ''
}

/** Prints what a server says of itself, which goes on without. */
function say(text: string): void {
  process.stdout.write(text)
}

/** Prints what a command was asked for. Nobody misses it who has stopped reading. @throws {ConfigError} */
async function print(text: string): Promise<0> {
  const error = await new Promise<NodeJS.ErrnoException | null | undefined>(resolve =>
    process.stdout.write(text, resolve),
  )
  if (error && error.code !== 'EPIPE')
    throw new ConfigError(`standard output cannot be written (${error.code})`)
  return 0
}
