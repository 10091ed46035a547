/** A request for a page of a list: `page` counts from 1, `size` is 1 to 100. */
export interface PageRequest {
  readonly page: number
  readonly size: number
}

export interface Page<T> {
  readonly pagination: {
    readonly total_items: number
    readonly page_number: number
    readonly page_size: number
    readonly total_pages: number
    /** The cursor of the next page, if there is one and the list has cursors. */
    readonly next?: string
  }
  readonly data: T[]
}

/** A page whose items are too large to be in memory together: each is made when it is read. Can be read once. */
export interface LongPage<T> {
  readonly pagination: Page<T>['pagination']
  readonly data: AsyncIterable<T>
}

// Requirements: PAG-504, PAG-543
export function offsetOf({ page, size }: PageRequest): number {
  return (page - 1) * size
}

export function toPage<T>(data: T[], total: number, request: PageRequest, next?: string): Page<T>
export function toPage<T>(
  data: T[] | AsyncIterable<T>,
  total: number,
  request: PageRequest,
  next?: string,
): Page<T> | LongPage<T>
export function toPage<T>(
  data: T[] | AsyncIterable<T>,
  total: number,
  { page, size }: PageRequest,
  next?: string,
): Page<T> | LongPage<T> {
  return {
    pagination: {
      total_items: total,
      page_number: page,
      page_size: size,
      total_pages: Math.ceil(total / size),
      ...(next === undefined ? {} : { next }),
    },
    data,
  } as Page<T> | LongPage<T>
}

export function isLongPage(body: object): body is LongPage<unknown> {
  const { data } = body as Partial<LongPage<unknown>>
  return typeof data === 'object' && data !== null && Symbol.asyncIterator in data
}
