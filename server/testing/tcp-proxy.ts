import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * What becomes of a connection: broken off; silent from then on without anybody being told; or held, where the
 * client's words go no further and the server's still arrive, as if the client had stopped in the middle.
 */
export type Fault = 'cut' | 'freeze' | 'hold'

/**
 * When: before what matches goes on to the server, behind it but before any answer, or before what matches comes
 * back. Patterns see a few bytes of what went before, as packets break where they like.
 */
export interface Moment {
  readonly at: 'before sending' | 'before answering'
  readonly pattern: RegExp
}

export interface TcpProxy {
  readonly port: number
  /** The same URL by way of the proxy. */
  via(url: string): string
  /** Has this fault strike once, the first connection that comes to the moment. Resolves when it has. */
  strike(fault: Fault, moment: Moment): Promise<void>
  /** Breaks off what is open and refuses what comes, until `restore`. */
  down(): void
  restore(): void
}

interface Armed extends Moment {
  readonly fault: Fault
  readonly struck: () => void
}

const overlap = 64

/** Stands between a client and a server on this machine, as a network with faults does; gone when the test ends. */
export async function openTcpProxy(
  t: { teardown(task: () => unknown): void },
  targetPort: number,
): Promise<TcpProxy> {
  const open = new Set<Socket>()
  let armed: Armed | undefined
  let isDown = false

  const join = (client: Socket) => {
    if (isDown) return void client.destroy()
    const server = connect(targetPort, '127.0.0.1')
    let isFrozen = false
    let isHeld = false
    for (const [from, to, at] of [
      [client, server, 'before sending'],
      [server, client, 'before answering'],
    ] as const) {
      open.add(from)
      let before = ''
      from.on('data', data => {
        if (isFrozen || (isHeld && from === client)) return
        const seen = before + data.toString('latin1')
        // Of what went by before there was a strike nothing counts.
        before = armed ? seen.slice(-overlap) : ''
        if (armed?.at !== at || !armed.pattern.test(seen)) return void to.write(data)
        const { fault, struck } = armed
        armed = undefined
        if (fault === 'freeze') isFrozen = true
        else if (fault === 'hold') isHeld = true
        else for (const end of [client, server]) end.destroy()
        struck()
      })
      // What becomes of one end becomes of the other.
      from.on('error', () => {})
      from.on('close', () => {
        open.delete(from)
        if (!isFrozen) to.destroy()
      })
    }
  }
  const proxy = createServer(join)
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(() => {
    for (const socket of open) socket.destroy()
    proxy.close()
  })
  const { port } = proxy.address() as AddressInfo
  return {
    port,
    via: url => {
      const changed = new URL(url)
      changed.port = String(port)
      return changed.href
    },
    strike: (fault, moment) =>
      new Promise(struck => {
        armed = { ...moment, fault, struck }
      }),
    down: () => {
      isDown = true
      for (const socket of open) socket.destroy()
    },
    restore: () => {
      isDown = false
    },
  }
}
