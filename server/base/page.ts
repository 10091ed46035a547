/** A page of a list, as asked for: `page` counts from 1, `size` is 1 to 100. */
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
    /** The cursor of the next page, where there is one and the list knows cursors. */
    readonly next?: string
  }
  readonly data: T[]
}

// Requirements: PAG-504
export function offsetOf({ page, size }: PageRequest): number {
  return (page - 1) * size
}

export function toPage<T>(data: T[], total: number, { page, size }: PageRequest, next?: string): Page<T> {
  return {
    pagination: {
      total_items: total,
      page_number: page,
      page_size: size,
      total_pages: Math.ceil(total / size),
      ...(next === undefined ? {} : { next }),
    },
    data,
  }
}
