/** Where something stands in a list: newest first, and by id where times are equal. */
export interface Place {
  readonly createdUs: number
  readonly id: string
}

/** A list that can be read from any position, each thing in it with its place. */
export interface Source<T extends Place> {
  total(): Promise<number>
  /** How many stand before a place. */
  before(place: Place): Promise<number>
  page(offset: number, limit: number): Promise<T[]>
}

export function comparePlaces(a: Place, b: Place): number {
  if (a.createdUs !== b.createdUs) return b.createdUs - a.createdUs
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0
}

export function sourceOf<T extends Place>(items: readonly T[]): Source<T> {
  const sorted = [...items].sort(comparePlaces)
  return {
    total: async () => sorted.length,
    before: async place => sorted.filter(item => comparePlaces(item, place) < 0).length,
    page: async (offset, limit) => sorted.slice(offset, offset + limit),
  }
}

/**
 * Two lists as one. A page of it reads no more of either than a page: how many of `few` stand before it is found
 * by halving, in as many steps as the length of `few` has binary digits.
 */
export function merge<T extends Place>(many: Source<T>, few: Source<T>): Source<T> {
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
