import type { Suspect } from '../contract/spellings.ts'

/** An expression of a mask that gave nothing. */
interface EmptyMask {
  readonly token_id: string
  readonly path: string
  readonly reason: string
}

const mostMasks = 20
/** They are named in a header. */
const mostOrigins = 5

/** What a development server notes about one request while it is worked on, to be shown with it. */
export class RequestNotes {
  readonly masks: EmptyMask[] = []
  /** What the caller is warned of, beside what the body itself shows. */
  suspects: readonly Suspect[] = []
  /** The origins that its formula has asked for, and that neither an option nor a test names. */
  readonly unanswered = new Set<string>()
  readonly traceId: string | undefined
  /** Calls a function when the caller is gone, or has its response. Absent for requests that have no such caller. */
  readonly onDisconnect: ((listener: () => void) => void) | undefined

  constructor(traceId?: string, onDisconnect?: (listener: () => void) => void) {
    this.traceId = traceId
    this.onDisconnect = onDisconnect
  }

  addUnanswered(origin: string): void {
    if (this.unanswered.size < mostOrigins) this.unanswered.add(origin)
  }

  addMask(mask: EmptyMask): void {
    const isKnown = this.masks.some(({ token_id, path }) => token_id === mask.token_id && path === mask.path)
    if (!isKnown && this.masks.length < mostMasks) this.masks.push(mask)
  }
}
