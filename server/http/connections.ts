import type { Socket } from 'node:net'

interface Ending {
  once(event: 'close', listener: () => void): unknown
}

/**
 * Which connections have a request in flight. A server that closes waits for those, and for no others: one
 * silent connection, such as a browser keeps in store, would otherwise hold it for ever.
 */
export class Connections {
  readonly #inFlight = new Map<Socket, number>()
  #closing = false

  get closing(): boolean {
    return this.#closing
  }

  add(socket: Socket): void {
    this.#inFlight.set(socket, 0)
    socket.once('close', () => this.#inFlight.delete(socket))
    if (this.#closing) socket.destroy()
  }

  /** A request has come by this socket; it is in flight until its response is closed. */
  begin(socket: Socket, response: Ending): void {
    this.#inFlight.set(socket, (this.#inFlight.get(socket) ?? 0) + 1)
    response.once('close', () => this.#end(socket))
  }

  /** Ends every connection as soon as it has nothing in flight, and all of them when the grace is over. */
  close(graceMs: number): void {
    this.#closing = true
    for (const [socket, count] of this.#inFlight) if (count === 0) socket.destroy()
    setTimeout(() => {
      for (const socket of this.#inFlight.keys()) socket.destroy()
    }, graceMs).unref()
  }

  #end(socket: Socket): void {
    const count = this.#inFlight.get(socket)
    if (count === undefined) return
    this.#inFlight.set(socket, count - 1)
    if (this.#closing && count === 1) socket.end(() => socket.destroy())
  }
}
