/**
 * Options of an LRU cache of at most `count` entries that grows as it is filled. With `max` it would allocate room for
 * all entries at once, which takes a millisecond for ten thousand.
 */
export const upTo = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 })
