import { type Call, type Envelope, mapCall } from './call.ts'
import { mustBe } from './check.ts'
import type { Pagination } from './generated/types.gen.ts'

/** One page as the server sends it. */
interface PageBody<T> {
  /** Position of the page: `total_items`, `page_number` (from 1), `page_size`, `total_pages`. */
  pagination: Pagination
  /** The items of the page. */
  data: T[]
}

/**
 * One page of a list.
 *
 * @example
 * ```ts
 * const page: Page<Token> = await surrogate.tokens.list({ page: 2, size: 50 })
 * console.log(`${page.data.length} of ${page.total}`)
 * ```
 */
export interface Page<T> extends PageBody<T> {
  /** Number of items on all pages. */
  readonly total: number
  /** Fetches the page after this one. Resolves with undefined if this is the last. */
  getNextPage(): Promise<Page<T> | undefined>
}

/**
 * A call that fetches a page: a promise of it, or with `withResponse()` of the page and its response.
 *
 * @example
 * ```ts
 * const call: PageCall<AnyToken> = surrogate.tokens.list()
 * const { data, traceId } = await call.withResponse()
 * ```
 */
export interface PageCall<T> extends Pick<Promise<Page<T>>, 'then' | 'catch' | 'finally'> {
  /** Resolves with the page and the response; rejects like the call. */
  withResponse(): Promise<Envelope<Page<T>>>
}

interface Position {
  readonly page?: number | null | undefined
  readonly start?: string | null | undefined
}

/**
 * Makes pages of the bodies that `fetchPage` fetches. The members that a page has besides are not enumerable, so that
 * printing shows the body alone.
 */
export function pageOf<T>(query: Position, fetchPage: (query: never) => Call<PageBody<T>>): Call<Page<T>> {
  return mapCall(fetchPage(query as never), ({ data }) => {
    const { total_items, next, page_number, total_pages } = data.pagination
    const { start, page } = query
    const number = page ?? page_number
    const following =
      // A server that returns the same cursor again must not cause an endless loop.
      next && next !== start
        ? { ...query, start: next, page: undefined }
        : !start && number < total_pages && { ...query, page: number + 1 }
    return Object.defineProperties(data, {
      total: { value: total_items },
      getNextPage: { value: async () => (following ? pageOf(following, fetchPage) : undefined) },
    }) as Page<T>
  })
}

/**
 * Yields every item of a list, from the requested page on; fetches further pages as needed. For lists of `Tokens` that
 * stand alone: those of `Surrogate` are iterable themselves.
 *
 * @example
 * ```ts
 * const tokens = new Tokens({ apiKey: 'key_prv_…', baseUrl: 'https://vault.example.org' })
 * for await (const token of items(tokens.list({ type: ['card'] }))) console.log(token.id)
 * ```
 */
export async function* items<T>(list: PromiseLike<Page<T>> | Page<T>): AsyncGenerator<T, void, undefined> {
  for (let page: Page<T> | undefined = await list; page; page = await page.getNextPage()) yield* page.data
}

/** Fetches a page; its position replaces the one in the query of the list. */
type Open<T> = (position?: Position) => Call<Page<T>>

/**
 * A list that can be awaited as one page or iterated item by item. Nothing is sent before either.
 *
 * `await` returns the requested page. `for await` yields every item from that page on and fetches further pages as
 * needed. Items may be deleted meanwhile, also inside the loop: no other item is missed or yielded twice.
 *
 * @example
 * ```ts
 * const { data, total } = await surrogate.tokens.list()
 *
 * for await (const token of surrogate.tokens.list({ type: ['card'], size: 100 })) {
 *   console.log(token.id)
 * }
 * ```
 */
export class Pages<T extends { id: string }> implements PageCall<T>, AsyncIterable<T> {
  readonly #open: Open<T>
  readonly #start: string | null | undefined
  #asked: Call<Page<T>> | undefined

  /** @internal */
  constructor(open: Open<T>, start?: string | null) {
    this.#open = open
    this.#start = start
  }

  /** Fetches the requested page, once, and resolves with it and its response. */
  withResponse(): Promise<Envelope<Page<T>>> {
    this.#asked ??= this.#open()
    return this.#asked.withResponse()
  }

  /** Fetches the requested page, once. */
  // biome-ignore lint/suspicious/noThenProperty: awaiting a list fetches its page.
  then<Result = Page<T>, Failure = never>(
    onFulfilled?: ((page: Page<T>) => Result | PromiseLike<Result>) | null,
    onRejected?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    return this.withResponse()
      .then(({ data }) => data)
      .then(onFulfilled, onRejected)
  }

  /** Like `catch` of a promise. */
  catch<Failure>(onRejected?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null) {
    return this.then(null, onRejected)
  }

  /** Like `finally` of a promise. */
  finally(onFinally?: (() => void) | null): Promise<Page<T>> {
    return this.then().finally(onFinally)
  }

  /** Resolves with the items from the requested page on, at most `limit` of them. */
  async toArray(options: { limit: number }): Promise<T[]> {
    // Without the compiler the argument may be missing.
    const { limit } = options ?? {}
    mustBe('limit', limit > 0, 'a positive number, as in toArray({ limit: 100 })')
    const items: T[] = []
    for await (const item of this) if (items.push(item) >= limit) break
    return items
  }

  /** Yields every item of this page and of those after it. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const seen = new Set<string>()
    let page = await this.#open()
    let number = page.pagination.page_number
    // Writing in between cannot shift cursors as it shifts page numbers.
    if (this.#start || page.pagination.next) return yield* items(page)
    for (;;) {
      for (const item of page.data) {
        if (seen.has(item.id)) continue
        seen.add(item.id)
        yield item
      }
      const { total_items, page_size, total_pages } = page.pagination
      if (!(number < total_pages)) return
      // Each item deleted since that page moved those after it up by at most one place. Go back as far as that.
      const lastRead = number
      for (let from = lastRead + 1; from !== number; ) {
        number = from
        page = await this.#open({ page: number })
        const gone = Math.max(0, total_items - page.pagination.total_items)
        from = Math.max(1, Math.min(number, lastRead + 1 - Math.ceil(gone / page_size)))
      }
    }
  }
}
