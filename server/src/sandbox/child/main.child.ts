/** The program of a runner: one tenant for life, one invocation at a time, each with globals of its own. */
import { writeSync } from 'node:fs'
import { Socket, type SocketConstructorOpts } from 'node:net'
import type { Script } from 'node:vm'
import { clientModule as adapterName } from '../modules/module-names.ts'
import { encodeFrame, type Frame, FrameReader } from '../protocol/frames.ts'
import type { BootHeader, Report, ToRunner } from '../protocol/messages.ts'
import './harden.child.ts'
import { createInside } from './compartment.child.ts'
import { evaluate, explain, type Runtime } from './evaluate.child.ts'
import { bridge, Invocation, setCurrent } from './invocation.child.ts'
import { SharedPrograms } from './programs.child.ts'
import { rewriter } from './rewriter.child.ts'
import { thrownOf } from './thrown.child.ts'

declare const boot: {
  readonly header: BootHeader
  readonly parts: readonly Buffer[]
  readonly script: Script
}

const { header, parts, script } = boot
const { limits } = header
const [classes = '', client = ''] = parts.slice(0, 2).map(part => part.toString('utf8'))
const [rewrite = Buffer.alloc(0), ...texts] = parts.slice(2)
const [node = '', imitations = '', ...moduleTexts] = texts.map(part => part.toString('utf8'))
const { inside, clientModule } = createInside(header, classes, client)
const modules = new Map(header.moduleNames.map((name, index) => [name, moduleTexts[index] ?? '']))

const runtime: Runtime = {
  inside,
  modules,
  node,
  imitations,
  programs: new SharedPrograms(
    inside,
    header.moduleNames.some(name => name !== adapterName),
  ),
  limits,
  rewriter: rewriter(rewrite),
}

const reader = new FrameReader({ headerBytes: 1024 * 1024, bodyBytes: 64 * 1024 * 1024 })
// Read without a stream, which takes a tenth of the processor time of a short invocation in interpreted code.
const socket = new Socket({
  fd: 1,
  readable: true,
  writable: true,
  onread: {
    buffer: Buffer.alloc(64 * 1024),
    callback: (count: number, chunk: Uint8Array) => {
      for (const frame of reader.push(Buffer.from(chunk.subarray(0, count)))) receive(frame)
      return true
    },
  },
} as SocketConstructorOpts)
const waiting: Buffer[] = []
let isFlushing = false

/** Writes frames from a new stack: the caller may be a formula that has used up its stack. */
function send(message: object, body?: Uint8Array): void {
  waiting.push(encodeFrame(message, body))
  if (isFlushing) return
  queueMicrotask(flush)
  isFlushing = true
}

function flush(): void {
  isFlushing = false
  for (const frame of waiting.splice(0)) write(frame)
}

/** Writes at once as much as the socket takes, because a stream takes longer, and leaves the rest to the stream. */
function write(frame: Buffer): void {
  let at = 0
  try {
    while (socket.writableLength === 0 && at < frame.length) at += writeSync(1, frame, at)
  } catch {
    // The socket is full, or closed, which the stream handles.
  }
  if (at < frame.length) socket.write(frame.subarray(at))
}

let current: Invocation | undefined

function start(
  { run, codeLength, svc, fetch, explains }: Extract<ToRunner, { type: 'run' }>,
  bytes: Uint8Array,
): void {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const code = body.toString('utf8', 0, codeLength)
  const invocation: Invocation = new Invocation({
    run,
    svc,
    fetch,
    limits,
    send,
    explain: error => {
      const report = explain(error, inside, limits)
      return explains ? { ...report, thrown: thrownOf(error) } : report
    },
    finished: report => finished(run, report),
  })
  current = invocation
  setCurrent(invocation)
  void (async () => {
    try {
      const { args, configuration } = JSON.parse(body.toString('utf8', codeLength))
      const made = svc ? inside.createClient(clientModule, header.headerPrefix) : null
      const clients = Object.fromEntries(header.svcNames.map(name => [name, made]))
      const text = await evaluate({ code, args, configuration, clients }, runtime)
      invocation.finish({ kind: 'answered', text } as unknown as Report)
    } catch (error) {
      invocation.fail(error)
    }
  })()
}

function finished(run: number, report: Report): void {
  const { text = JSON.stringify(report) } = report as { text?: string }
  let body: Uint8Array = Buffer.from(text, 'utf8')
  let unfit = 'reason' in report && report.reason === 'memory'
  if (body.length > limits.outputBytes + 1024) {
    const detail = `the output is longer than ${limits.outputBytes} bytes`
    body = Buffer.from(JSON.stringify({ kind: 'failed', reason: 'output', detail }))
    unfit = true
  }
  send({ type: 'done', run }, body)
  setCurrent(undefined)
  // Two turns later all microtasks of the invocation have run; endless ones prevent `idle`.
  setImmediate(() =>
    setImmediate(() => {
      current = undefined
      send({ type: 'idle', run, unfit })
    }),
  )
}

process.on('unhandledRejection', reason => current?.fail(reason))
process.on('uncaughtException', error => (current ? current.fail(error) : process.exit(1)))

function receive(frame: Frame): void {
  const message = frame.header as unknown as ToRunner
  if (message.type === 'run') start(message, frame.body)
  else if (message.type === 'answer') {
    current?.answer(message.call, [message.status, message.headers, new Uint8Array(frame.body)])
  } else current?.failCall(message.call, message.message)
}

async function warm(): Promise<void> {
  const code = 'module.exports = async req => { JSON.stringify(req); return { raw: [1, "a", {}] } }'
  inside.createClient(clientModule, header.headerPrefix)
  // Without clients: the operator's adapter may throw.
  await evaluate({ code, args: {}, configuration: {}, clients: {} }, runtime)
}

void warm().then(() => {
  socket.resume()
  socket.on('error', () => process.exit(0))
  socket.on('close', () => process.exit(0))
  send({ type: 'ready' }, header.wantsCache ? script.createCachedData() : undefined)
})

// Referenced so that the bundle keeps it for the classes.
void bridge
