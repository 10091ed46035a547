import { AsyncLocalStorage } from 'node:async_hooks'

/** An expression of a mask that gave nothing. */
interface EmptyMask {
  readonly token_id: string
  readonly path: string
  readonly reason: string
}

const mostMasks = 20

/** What a development server notes about one request while it is worked on, to be shown with it. */
export class RequestNotes {
  readonly masks: EmptyMask[] = []
  /** Calls a function when the caller is gone, or has its response. Absent for requests that have no such caller. */
  readonly onGone: ((listener: () => void) => void) | undefined

  constructor(onGone?: (listener: () => void) => void) {
    this.onGone = onGone
  }

  addMask(mask: EmptyMask): void {
    const isKnown = this.masks.some(({ token_id, path }) => token_id === mask.token_id && path === mask.path)
    if (!isKnown && this.masks.length < mostMasks) this.masks.push(mask)
  }
}

/**
 * Finds the notes of the request that is worked on. Of development servers only. Tracks only while there is a request:
 * tracking slows down every promise of the process, once for each vault in it.
 */
export class NoteTaker {
  readonly #current = new AsyncLocalStorage<RequestNotes>()
  #underWay = 0

  /** The notes of the current request, if there is one. */
  get current(): RequestNotes | undefined {
    return this.#current.getStore()
  }

  async run<T>(notes: RequestNotes, task: () => Promise<T>): Promise<T> {
    this.#underWay++
    try {
      return await this.#current.run(notes, task)
    } finally {
      this.#underWay--
      if (this.#underWay === 0) this.#current.disable()
    }
  }

  /** Ends the tracking, also of requests that have not ended. */
  close(): void {
    this.#current.disable()
  }
}
