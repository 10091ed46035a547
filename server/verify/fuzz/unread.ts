import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { keys } from './callers.ts'
import { type Extra, type FuzzRequest, request } from './case.ts'
import { FuzzConnection } from './connection.ts'
import type { Found } from './judge.ts'
import { mebibytes } from './memory.ts'
import type { Surroundings } from './performer.ts'

/** Whose connections are counted apart from those of the fuzz itself. Not every system has a second address. */
const localAddress = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1'

/** More than a server holds for one application: its share of unread responses, as text and as bytes, and some garbage. */
const mostHeldBytes = (2 * 64 + 32) * 2 ** 20
/** A server whose memory has not grown by more than this for a second is done with the requests. */
const steadyBytes = 2 ** 20
/** The server collects its garbage for each look at its memory, which must not take most of its time. */
const intervalMs = 250
const steadyIntervals = 4

/** Sends requests without reading a response. Returns what others notice of it. */
export async function holdUnread(
  bytesOf: (request: FuzzRequest) => Uint8Array,
  repeated: FuzzRequest,
  { connections, times, behind }: Extract<Extra, { check: 'unread' }>,
  { target, patienceMs }: Surroundings,
): Promise<Found[]> {
  const before = await target.memory()
  const bytes = Buffer.concat(Array.from({ length: times }, () => bytesOf(repeated)))
  const all = behind ? Buffer.concat([bytes, bytesOf(behind.sent)]) : bytes
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(target.port, all)))
  const found: Found[] = []
  const statusOf = async (one: FuzzRequest, address?: string) => {
    const connection = new FuzzConnection(target.port, address)
    const response = await connection.exchange(bytesOf(one), patienceMs).catch(() => undefined)
    connection.close()
    return response?.status
  }
  try {
    let [most, least, steady] = [before.heldBytes, before.heldBytes, 0]
    while (steady < steadyIntervals && most - before.heldBytes < 4 * mostHeldBytes) {
      await wait(intervalMs)
      const held = (await target.memory()).heldBytes
      // It holds less again when the system takes more of the responses, seconds later.
      most = Math.max(most, held)
      // Not since the last interval: a slow server grows by less in each.
      const isGrowing = held - least > steadyBytes
      least = isGrowing ? held : Math.min(least, held)
      steady = isGrowing ? 0 : steady + 1
    }
    if (most - before.heldBytes >= mostHeldBytes)
      found.push({
        fault: 'unread responses',
        what: `the server holds ${mebibytes(most - before.heldBytes)} MiB more`,
      })
    const probe = request('GET', '/livez', keys.public)
    const refused = {
      'a probe of the same peer': (await statusOf(probe, localAddress)) !== 200,
      'a probe': (await statusOf(probe)) !== 200,
      'another tenant': (await statusOf(request('GET', '/tokens?size=1', keys.other))) !== 200,
    }
    for (const [who, isRefused] of Object.entries(refused))
      if (isRefused) found.push({ fault: 'no room for others', what: `${who} is refused` })
    if (behind && (await statusOf(behind.seen)) === 200)
      found.push({
        fault: 'unread responses',
        what: 'a request was begun before the responses in front of it were read',
      })
  } finally {
    for (const socket of sockets) socket.destroy()
  }
  // The server notices the end of so many connections after a while.
  const own = request('GET', '/applications/key', keys.private)
  for (const endMs = performance.now() + patienceMs; (await statusOf(own)) !== 200; await wait(intervalMs)) {
    if (performance.now() < endMs) continue
    found.push({ fault: 'no room for others', what: 'after the connections have ended' })
    break
  }
  return found
}

function open(port: number, bytes: Uint8Array): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.pause()
  return new Promise(done => {
    socket.once('connect', () => socket.write(bytes))
    // Written, or refused: a server may close what is too much.
    socket
      .on('error', () => {})
      .once('connect', () => done(socket))
      .once('close', () => done(socket))
  })
}
