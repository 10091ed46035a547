import type { Call, Envelope } from './call.ts'
import type { Pagination } from './generated/types.gen.ts'

/** One page as the server sends it. */
export interface PageBody<T> {
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
export class Pages<T extends { id: string }> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  readonly #fetch: (position?: object) => Call<PageBody<T>>
  readonly #isByCursor: boolean
  #asked: Promise<Envelope<Page<T>>> | undefined

  /** @internal */
  constructor(fetchPage: (position?: object) => Call<PageBody<T>>, start?: string | null) {
    this.#fetch = fetchPage
    this.#isByCursor = typeof start === 'string'
  }

  /** Fetches the requested page, once, and resolves with it and its response. */
  withResponse(): Promise<Envelope<Page<T>>> {
    this.#asked ??= this.#fetch()
      .withResponse()
      .then(envelope => ({ ...envelope, data: this.#asPage(envelope.data, this.#isByCursor) }))
    return this.#asked
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
  async toArray({ limit }: { limit: number }): Promise<T[]> {
    if (!(limit > 0)) throw new TypeError('limit must be a positive number')
    const items: T[] = []
    for await (const item of this) if (items.push(item) >= limit) break
    return items
  }

  /** Yields every item of this page and of those after it. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const seen = new Set<string>()
    let page = await this.#fetch()
    let { next, page_number: number } = page.pagination
    if (this.#isByCursor || next !== undefined) {
      yield* page.data
      while (next !== undefined) {
        const start: string = next
        page = await this.#fetchFrom(start)
        yield* page.data
        // A server that returns the same cursor again must not cause an endless loop.
        next = page.pagination.next === start ? undefined : page.pagination.next
      }
      return
    }
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
        page = await this.#fetch({ page: number })
        const gone = Math.max(0, total_items - page.pagination.total_items)
        from = Math.max(1, Math.min(number, lastRead + 1 - Math.ceil(gone / page_size)))
      }
    }
  }

  /** Fetches a page by its cursor, which writes in between cannot shift as they shift page numbers. */
  #fetchFrom(start: string): Call<PageBody<T>> {
    return this.#fetch({ start, page: undefined })
  }

  /** Adds the members of a page to a body. They are not enumerable, so that printing shows the body alone. */
  #asPage(body: PageBody<T>, isByCursor: boolean): Page<T> {
    const { total_items, next, page_number, total_pages } = body.pagination
    const getNextPage = async () => {
      if (next !== undefined) return this.#asPage(await this.#fetchFrom(next), true)
      if (isByCursor || !(page_number < total_pages)) return undefined
      return this.#asPage(await this.#fetch({ page: page_number + 1 }), false)
    }
    return Object.defineProperties(body, {
      total: { value: total_items },
      getNextPage: { value: getNextPage },
    }) as Page<T>
  }
}
