import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import WebSocket from 'ws'

const names = ['firefox-esr', 'firefox']
const places = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap(folder => names.map(name => join(folder, name)))
const executable = process.env.SURROGATE_FIREFOX ?? places.find(place => existsSync(place))

/** Options of a test that needs Firefox: skips it without one. */
export const withoutFirefox =
  executable === undefined
    ? { skip: `no Firefox found (${names.join(', ')}): install Debian's firefox-esr` }
    : {}

/** A page in Firefox. */
export interface FirefoxPage {
  /** Errors in the console of all pages, and requests to other hosts. */
  readonly failures: readonly string[]
  /** Returns what an expression is in the page. Its result is JSON. */
  evaluate(expression: string): Promise<unknown>
  /** Resolves as soon as an expression is true in the page. */
  until(expression: string): Promise<void>
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly error?: string
  readonly message?: string
  // biome-ignore lint/suspicious/noExplicitAny: what the protocol sends depends on the command
  readonly result?: any
  // biome-ignore lint/suspicious/noExplicitAny: and on the event
  readonly params?: any
}

/** Starts Firefox without a window, and opens pages of one origin in it by WebDriver BiDi. It ends with the test. */
export async function openFirefox(t: { teardown(task: () => unknown): void }, origin: string) {
  const profile = mkdtempSync(join(tmpdir(), 'firefox-'))
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0']
  const child = spawn(executable ?? 'firefox', args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: profile },
  })
  const ended = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  const socket = new WebSocket(`${await addressOf(child.stderr)}/session`)
  await once(socket, 'open')
  const waiting = new Map<number, (message: Message) => void>()
  const failures: string[] = []
  socket.on('message', data => {
    const { id, method, params, ...message }: Message = JSON.parse(String(data))
    if (id !== undefined) waiting.get(id)?.(message)
    else if (
      method === 'log.entryAdded' &&
      (params.level === 'error' || /validation error/.test(params.text))
    )
      failures.push(params.text)
    else if (method === 'network.beforeRequestSent') {
      const { url } = params.request
      if (!url.startsWith(`${origin}/`) && !/^(data|about|blob):/.test(url)) failures.push(url)
    }
  })
  const send = async (method: string, params: object) => {
    const id = waiting.size
    const response = new Promise<Message>(resolve => waiting.set(id, resolve))
    socket.send(JSON.stringify({ id, method, params }))
    const { error, message, result } = await response
    if (error !== undefined) throw new Error(`${method}: ${error}: ${message}`)
    return result
  }
  await send('session.new', { capabilities: {} })
  await send('session.subscribe', { events: ['log.entryAdded', 'network.beforeRequestSent'] })
  return async (path: string): Promise<FirefoxPage> => {
    const { context } = await send('browsingContext.create', { type: 'tab' })
    await send('browsingContext.navigate', { context, url: origin + path, wait: 'complete' })
    const evaluate = async (expression: string) => {
      const json = `Promise.resolve(${expression}).then(value => JSON.stringify(value) ?? 'null')`
      const { result, exceptionDetails } = await send('script.evaluate', {
        expression: json,
        target: { context },
        awaitPromise: true,
      })
      if (exceptionDetails) throw new Error(exceptionDetails.text)
      return JSON.parse(result.value)
    }
    const until = async (expression: string) => {
      await evaluate(`new Promise(resolve => {
        const look = () => (${expression}) ? resolve(true) : setTimeout(look, 20)
        look()
      })`)
    }
    return { failures, evaluate, until }
  }
}

/** Returns the address that Firefox prints. */
async function addressOf(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stderr)) {
    const [, found] = /listening on (ws:\/\/\S+)/.exec(line) ?? []
    if (found !== undefined) {
      stderr.resume()
      return found
    }
  }
  throw new Error('Firefox ended before it listened')
}
