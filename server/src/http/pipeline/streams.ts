import type { LongPage } from '../../base/page.ts'
import type { CoreRequest, CoreResponse, Lines } from '../transport/message.ts'
import { checkItems } from './check-response.ts'
import type { Exchange, Services, Translator } from './exchange.ts'
import { authorize, identify, route } from './lifecycle.ts'

/**
 * Returns a long response piece by piece. It ends when its next piece would go to a caller who may not make the request
 * any more. What the pieces hold is released at their end, also if one cannot be made.
 * @param show returns the text of a piece
 */
// Requirements: LOG-503
export function whileAllowed<T>(
  services: Services,
  request: CoreRequest,
  pieces: AsyncIterableIterator<T, undefined>,
  show: (piece: T) => string | Promise<string>,
): AsyncIterableIterator<string, undefined> {
  const end = async () => {
    await pieces.return?.()
    return { done: true, value: undefined } as const
  }
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: async () => {
      try {
        const { done, value } = await pieces.next()
        if (done || !(await isAllowed(services, request))) return await end()
        return { done: false, value: await show(value) }
      } catch (error) {
        await end()
        throw error
      }
    },
    return: end,
  }
}

/** True if the caller of a request may still make it. */
async function isAllowed(services: Services, request: CoreRequest): Promise<boolean> {
  const again: Exchange = { request, traceId: '' }
  try {
    for (const step of [route, identify, authorize]) await step(again, services)
    return true
  } catch {
    return false
  }
}

/** Headers of a response that goes on: proxies must not collect its pieces. */
export const streamHeaders = (type: string): Record<string, string> => ({
  'Content-Type': type,
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
})

/** True for the headers of a response that goes on. */
export const isStream = (headers: CoreResponse['headers']): boolean => 'X-Accel-Buffering' in headers

/**
 * Returns a response that sends lines of JSON as they come. Items of a list are checked and translated as on a page.
 * @param failed is called if the response ends as a line cannot be made
 */
export function linesResponse(
  {
    services,
    translator,
  }: { readonly services: Services; readonly translator: Pick<Translator, 'writePage'> },
  exchange: Exchange,
  lines: Lines,
  failed: (error: unknown) => void,
): CoreResponse {
  const show = async (piece: object | readonly object[]) => {
    if (!Array.isArray(piece)) return lineOf(piece)
    const page = onePage(piece)
    const checked = services.dev ? { ...page, data: checkItems(services, exchange, page) } : page
    let text = ''
    for await (const item of translator.writePage(exchange, checked).data) text += lineOf(item)
    return text
  }
  const pieces = whileAllowed(services, exchange.request, lines, show)
  const reported: typeof pieces = {
    ...pieces,
    next: () =>
      pieces.next().catch(error => {
        failed(error)
        throw error
      }),
  }
  return { status: 200, headers: streamHeaders('application/x-ndjson'), pieces: reported }
}

const lineOf = (value: unknown) => `${JSON.stringify(value)}\n`

function onePage(items: readonly object[]): LongPage<object> {
  const data = (async function* () {
    yield* items
  })()
  return { pagination: { total_items: 0, page_number: 1, page_size: 1, total_pages: 0 }, data }
}
