export interface Memory {
  /** Objects of the heap and buffers outside it, in bytes. */
  readonly heldBytes: number
  readonly residentBytes: number
}

export const mebibytes = (bytes = 0) => (bytes / 2 ** 20).toFixed(1)
