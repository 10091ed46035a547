import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * `cut` closes the connection. `freeze` drops all further data in both directions without closing it. `hold` drops
 * the client's data, but still delivers the server's, as if the client had stopped.
 */
export type Fault = 'cut' | 'freeze' | 'hold'

/**
 * The moment of a fault: before the matching data are sent to the server, or before the matching data are returned.
 * Patterns also see some bytes of the data before, as packets may be split anywhere.
 */
export interface Moment {
  readonly at: 'before sending' | 'before answering'
  readonly pattern: RegExp
}

export interface TcpProxy {
  readonly port: number
  /** Returns the URL with the port of the proxy. */
  via(url: string): string
  /** Injects a fault once, into the first connection that reaches the moment. Resolves when it has. */
  strike(fault: Fault, moment: Moment): Promise<void>
  /** Closes all connections and refuses new ones, until `restore`. */
  down(): void
  restore(): void
}

interface Armed extends Moment {
  readonly fault: Fault
  readonly struck: () => void
}

const overlap = 64

/** Opens a proxy between a client and a server on this machine that can inject faults. Closed when the test ends. */
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
        // Data before the call of `strike` do not count.
        before = armed ? seen.slice(-overlap) : ''
        if (armed?.at !== at || !armed.pattern.test(seen)) return void to.write(data)
        const { fault, struck } = armed
        armed = undefined
        if (fault === 'freeze') isFrozen = true
        else if (fault === 'hold') isHeld = true
        else for (const end of [client, server]) end.destroy()
        struck()
      })
      // Closing one end closes the other.
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
