import { clearTimeout, setTimeout } from '../../base/time/real-time.ts'
import type { Core } from '../pipeline/core.ts'

/** Counts the requests under way, so that a vault can finish them before it closes its store. */
export class UnderWay {
  #count = 0
  #onNone = () => {}

  counted(core: Core): Core {
    return async request => {
      this.#count++
      try {
        return await core(request)
      } finally {
        if (--this.#count === 0) this.#onNone()
      }
    }
  }

  /** Resolves when no request is under way, or after `timeoutMs`. */
  async none(timeoutMs: number): Promise<void> {
    if (this.#count === 0) return
    await new Promise<void>(resolve => {
      const timeout = setTimeout(resolve, timeoutMs)
      this.#onNone = () => {
        clearTimeout(timeout)
        resolve()
      }
    })
  }
}
