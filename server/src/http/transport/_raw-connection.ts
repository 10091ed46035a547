import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { connectionLimits } from '../../base/limits.ts'
import type { Core } from '../pipeline/core.ts'
import { type Listening, listen } from './listener.ts'
import type { CoreRequest } from './message.ts'

export type Bounds = Partial<Record<keyof typeof connectionLimits, number>>
const forever = 3_600_000
export const shortMs = 50
const generous = {
  ...connectionLimits,
  headersTimeoutMs: forever,
  requestTimeoutMs: forever,
  keepAliveTimeoutMs: forever,
  silenceTimeoutMs: forever,
  checkIntervalMs: 10,
  closeGraceMs: 0,
  pipelinedRequests: 100,
}
export const text = { 'Content-Type': 'text/plain' }
export const long = 'x'.repeat(1024 * 1024)

/** Sends 16 MiB in pieces, more than sockets hold. */
async function* pieces() {
  for (let sent = 0; sent < 16; sent++) yield long
}

/** The tenant that a test names in a header. */
export const tenantOf = ({ headers }: CoreRequest) => headers['x-tenant'] ?? 'a'

export const core: Core = async request => {
  const { path } = request
  if (path === '/pieces') return { status: 200, headers: { ...text }, pieces: pieces() }
  if (path === '/long') return { status: 200, headers: { ...text }, body: long.repeat(16) }
  if (path === '/read') {
    try {
      const body = await request.readBody(connectionLimits.bodyBytes, tenantOf(request))
      return { status: body ? 200 : 413, headers: { ...text }, body: String(body?.length) }
    } catch (error) {
      return { status: 503, headers: { ...text }, body: (error as Error).message }
    }
  }
  return { status: 200, headers: { ...text }, body: 'answered' }
}

type Tap = { teardown(task: () => unknown): void }

export async function open(
  t: Tap,
  bounds: Bounds,
  answer: Core = core,
  connected = () => {},
): Promise<Listening> {
  const limits = { ...generous, ...bounds }
  const listening = await listen(answer, { host: '127.0.0.1', port: 0 }, { limits, connected })
  t.teardown(() => listening.close())
  return listening
}

/** A peer that never closes its side. It reads until it is paused. */
export function peer(t: Tap, { port }: Listening) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.teardown(() => socket.destroy())
  let received = ''
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    received = (received + text).slice(0, 10_000)
  })
  socket.on('error', () => {})
  return {
    socket,
    received: () => received,
    until: async (pattern: RegExp) => {
      while (!pattern.test(received)) {
        if (socket.readableEnded || socket.closed) throw new Error(`the connection ended after ${received}`)
        await Promise.race(['data', 'end', 'close'].map(event => once(socket, event)))
      }
      return received
    },
  }
}

/** Looks now and then: to look in every turn would take a processor for as long as the limit lasts. */
export async function untilConnections(listening: Listening, count: number): Promise<void> {
  while (listening.connections() !== count) await wait(5)
}

/** Writes a byte with each turn for as long as the socket takes it. */
export async function trickle(socket: Socket, byte = 'x'): Promise<void> {
  while (!socket.destroyed && socket.writable) {
    socket.write(byte)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

export const head = (method: string, path: string, ...lines: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: vault', ...lines, '', ''].join('\r\n')
