import type { LongPage } from '../../base/page.ts'
import type { CoreResponse, Lines } from '../transport/message.ts'
import { checkItems } from './check-response.ts'
import type { Exchange, Services, Translator } from './exchange.ts'
import { streamHeaders, whileAllowed } from './while-allowed.ts'

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
