import type { Pagination } from './generated/types.gen.ts'

/**
 * One page of a list.
 *
 * @example
 * ```ts
 * const page: Page<Token> = await surrogate.tokens.list({ page: 2, size: 50 })
 * console.log(`${page.data.length} of ${page.pagination.total_items}`)
 * ```
 */
export interface Page<T> {
  /** Where the page stands: `total_items`, `page_number` (from 1), `page_size`, `total_pages`. */
  pagination: Pagination
  /** The items of the page. */
  data: T[]
}

/** How a list goes on behind a page that names where: by cursors, which no write in between can shift. */
export interface Cursors<T> {
  fetchBehind(start: string): Promise<Page<T>>
  /** The first page was itself asked for by a cursor, so none of the others can be by number. */
  begun: boolean
}

/**
 * A list, to be had as one page or item by item. Nothing is sent before it is awaited or gone through.
 *
 * Awaited, it is the page that was asked for. Gone through by `for await`, it is every item from that page on, with
 * further pages fetched on the way. Items may be deleted meanwhile, in the loop too: none is missed and none comes twice.
 *
 * @example
 * ```ts
 * const { data, pagination } = await surrogate.tokens.list()
 *
 * for await (const token of surrogate.tokens.list({ type: ['card'], size: 100 })) {
 *   console.log(token.id)
 * }
 * ```
 */
export class Pages<T extends { id: string }> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  readonly #fetchPage: (number?: number) => Promise<Page<T>>
  readonly #cursors: Cursors<T> | undefined
  #asked: Promise<Page<T>> | undefined

  /** @internal */
  constructor(fetchPage: (number?: number) => Promise<Page<T>>, cursors?: Cursors<T>) {
    this.#fetchPage = fetchPage
    this.#cursors = cursors
  }

  /** Fetches the page that was asked for, once. */
  // biome-ignore lint/suspicious/noThenProperty: a list is to be awaited as the page it stands for.
  then<Result = Page<T>, Failure = never>(
    onFulfilled?: ((page: Page<T>) => Result | PromiseLike<Result>) | null,
    onRejected?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    this.#asked ??= this.#fetchPage()
    return this.#asked.then(onFulfilled, onRejected)
  }

  /** As a promise's `catch`. */
  catch<Failure>(onRejected?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null) {
    return this.then(null, onRejected)
  }

  /** As a promise's `finally`. */
  finally(onFinally?: (() => void) | null): Promise<Page<T>> {
    return this.then().finally(onFinally)
  }

  /** Every item of this page and those after it. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const seen = new Set<string>()
    let page = await this.#fetchPage()
    let number = page.pagination.page_number
    if (this.#cursors && (this.#cursors.begun || page.pagination.next !== undefined)) {
      yield* this.#behind(page, this.#cursors)
      return
    }
    for (;;) {
      for (const item of page.data) {
        if (seen.has(item.id)) continue
        seen.add(item.id)
        yield item
      }
      const { total_items, page_size, total_pages } = page.pagination
      if (number >= total_pages) return
      // As many items as are gone since that page, so many places have those after it moved up, at most.
      const goneThrough = number
      for (let from = goneThrough + 1; from !== number; ) {
        number = from
        page = await this.#fetchPage(number)
        const gone = Math.max(0, total_items - page.pagination.total_items)
        from = Math.max(1, Math.min(number, goneThrough + 1 - Math.ceil(gone / page_size)))
      }
    }
  }

  /** The items of a page, and of all that its cursors lead to. */
  async *#behind(first: Page<T>, { fetchBehind }: Cursors<T>): AsyncGenerator<T, void, undefined> {
    yield* first.data
    let { next } = first.pagination
    while (next !== undefined) {
      const page = await fetchBehind(next)
      yield* page.data
      // A server that repeats itself must not hold the loop for ever.
      next = page.pagination.next === next ? undefined : page.pagination.next
    }
  }
}
