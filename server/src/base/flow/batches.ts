/**
 * Splits a list, in its order, into batches whose items together weigh at most `most`. An item that weighs more is a batch
 * of its own.
 */
export function* batches<Item>(
  items: readonly Item[],
  most: number,
  weightOf: (item: Item) => number,
): Generator<Item[]> {
  let batch: Item[] = []
  let weight = 0
  for (const item of items) {
    const more = weightOf(item)
    if (batch.length > 0 && weight + more > most) {
      yield batch
      batch = []
      weight = 0
    }
    batch.push(item)
    weight += more
  }
  if (batch.length > 0) yield batch
}
