export interface Memory {
  /** Bytes of the heap and of buffers outside it. */
  readonly heldBytes: number
  readonly residentBytes: number
}

export const mebibytes = (bytes = 0) => (bytes / 2 ** 20).toFixed(1)
