import { monotonicMs } from '../../../base/time/real-time.ts'

const slowReadMs = 2
const mostSlowReads = 3
const patienceMs = 1000

/**
 * Decides where reads run. A read on this thread is several times faster than one through the thread pool, but
 * blocks the whole server if a cold disk takes milliseconds. So after three slow reads within a second, all reads of
 * the next second go to the pool. A single slow read may only mean that this thread was interrupted.
 */
export class ReadPace {
  #slowUntil = 0
  #slowReads = 0
  #countedFrom = 0
  #diskReads = 0

  isQuick(): boolean {
    return this.#slowUntil === 0 || monotonicMs() >= this.#slowUntil
  }

  note(startedMs: number): void {
    const now = monotonicMs()
    if (now - startedMs <= slowReadMs || !this.#hasReadFromDisk()) return
    if (now - this.#countedFrom > patienceMs) {
      this.#countedFrom = now
      this.#slowReads = 0
    }
    if (++this.#slowReads >= mostSlowReads) this.#slowUntil = now + patienceMs
  }

  /** True if the disk was read since the last slow read. Only Linux counts that; elsewhere it is assumed. */
  #hasReadFromDisk(): boolean {
    const { fsRead } = process.resourceUsage()
    const hasRead = fsRead > this.#diskReads || process.platform !== 'linux'
    this.#diskReads = fsRead
    return hasRead
  }
}
