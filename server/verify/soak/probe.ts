export interface Memory {
  /** Bytes of the heap and of buffers outside it. */
  readonly heldBytes: number
  readonly residentBytes: number
}

/**
 * Preloaded into the server's process: reports its memory to the parent on request. Needs `--expose-gc`, because only
 * memory that remains after a garbage collection indicates a leak.
 */
process.on('message', async message => {
  if (message !== 'memory') return
  // Finalized objects are freed by the next collection, some only in a later turn of the event loop.
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.()
    await new Promise(resolve => setImmediate(resolve))
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  process.send?.({ heldBytes: heapUsed + external, residentBytes: rss } satisfies Memory)
})
// The channel must not keep the server alive.
process.channel?.unref()
