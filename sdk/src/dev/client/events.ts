import { devEventsStream } from './generated/operations.gen.ts'
import type { DevConsoleLine, DevRecordedRequest, DevWebhook } from './generated/types.gen.ts'
import type { DevRequest } from './send.ts'

/**
 * An event of a tenant: a request, an attempt to deliver a webhook, a line that a formula printed, or the number of
 * events that are missing because they were not read in time.
 *
 * @example
 * ```ts
 * const isFailure = (event: DevEvent) => event.name === 'request' && (event.data.status ?? 500) >= 400
 * ```
 */
export type DevEvent =
  | { readonly name: 'request'; readonly data: DevRecordedRequest }
  | { readonly name: 'webhook'; readonly data: DevWebhook }
  | { readonly name: 'console'; readonly data: DevConsoleLine & { readonly reactor_id: string } }
  | { readonly name: 'dropped'; readonly data: { readonly count: number } }

/** Opens the stream of events of the tenant. Resolves when the server has accepted the request. */
export async function openEvents(request: DevRequest): Promise<AsyncGenerator<DevEvent, void>> {
  const { body } = await request(devEventsStream)
  if (!body) throw new Error('the response has no body')
  return readEvents(body)
}

/** Reads server-sent events. A reader that stops closes the stream. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<DevEvent, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
        if (name !== undefined && data !== undefined) yield { name, data: JSON.parse(data) } as DevEvent
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
