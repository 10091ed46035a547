/**
 * Options of an LRU cache for at most `count` entries that takes no room for those it has not: with `max`, it would
 * take room for all of them when it is made, which is a millisecond for ten thousand.
 */
export const upTo = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 })
