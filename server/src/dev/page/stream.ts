import { readEvents } from '../../generated/dev-client/events.ts'
import { headersFor, Refusal } from './api.ts'
import type { Access } from './keys.ts'

type Receive = (name: string, data: unknown) => void

/**
 * Reads events until the stream ends or `signal` aborts. `EventSource` cannot send headers, and a key in an address
 * would be kept in histories and logs.
 * @param opened is called when the server has accepted the request
 * @throws {Refusal}
 */
export async function receiveEvents(
  access: Access,
  signal: AbortSignal,
  opened: () => void,
  receive: Receive,
): Promise<void> {
  const headers = headersFor(access, access.keys[0]?.key)
  const response = await fetch('/_dev/events', { headers, signal, cache: 'no-store' })
  if (!response.ok) throw new Refusal(await response.json())
  if (!response.body) return
  opened()
  for await (const { name, data } of readEvents(response.body)) receive(name, data)
}
