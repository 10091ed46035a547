/** The position of an item in a list: newest first, then by id. */
export interface ListPosition {
  readonly createdUs: number
  readonly id: string
}

/** A list that can be read from any position. */
export interface Source<T extends ListPosition> {
  total(): Promise<number>
  /** Counts the items before a place. */
  before(place: ListPosition): Promise<number>
  page(offset: number, limit: number): Promise<T[]>
}

export function comparePlaces(a: ListPosition, b: ListPosition): number {
  if (a.createdUs !== b.createdUs) return b.createdUs - a.createdUs
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0
}

export function sourceOf<T extends ListPosition>(items: readonly T[]): Source<T> {
  const sorted = [...items].sort(comparePlaces)
  return {
    total: async () => sorted.length,
    before: async place => sorted.filter(item => comparePlaces(item, place) < 0).length,
    page: async (offset, limit) => sorted.slice(offset, offset + limit),
  }
}

/**
 * Merges two lists. A page reads at most one page of each: a binary search finds how many items of `few` stand before
 * it.
 */
export function merge<T extends ListPosition>(many: Source<T>, few: Source<T>): Source<T> {
  return {
    total: async () => (await many.total()) + (await few.total()),
    before: async place => (await many.before(place)) + (await few.before(place)),
    page: async (offset, limit) => {
      let low = 0
      let high = await few.total()
      while (low < high) {
        const middle = (low + high) >> 1
        const [item] = await few.page(middle, 1)
        if (item && middle + (await many.before(item)) < offset) low = middle + 1
        else high = middle
      }
      const own = await many.page(offset - low, limit)
      return [...own, ...(await few.page(low, limit))].sort(comparePlaces).slice(0, limit)
    },
  }
}
