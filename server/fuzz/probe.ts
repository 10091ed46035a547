import type { Memory } from './memory.ts'

/**
 * Loaded into the server's process before the server: says what its heap holds when its parent asks. Needs
 * `--expose-gc`, since only what is left after a collection tells a leak from garbage.
 */
process.on('message', async message => {
  if (message !== 'memory') return
  // What one collection finalizes only the next one frees, and some of it not before the next turn.
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.()
    await new Promise(resolve => setImmediate(resolve))
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  process.send?.({ heldBytes: heapUsed + external, residentBytes: rss } satisfies Memory)
})
// The server ends when its own work does.
process.channel?.unref()
