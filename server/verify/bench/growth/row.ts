/** Milliseconds. */
export interface Times {
  readonly p50: number
  readonly p99: number
}

export interface Memory {
  readonly residentMiB: number
  /** Without the files that it has mapped, whose pages the system takes back when it needs them. */
  readonly ownMiB: number
}

/** What was measured at one number of tokens, in parts that follow each other. */
export interface Row {
  readonly size: number
  /** Of all tokens but the last ones, which are created many at once. */
  fill?: { readonly tokensPerSecond: number; readonly filled: Memory }
  /** Of the last ones, each created by its own request. */
  creates?: {
    readonly perSecond: number
    /** Milliseconds. */
    readonly p99: number
    /** Processor time of a create, in microseconds. */
    readonly serverUs: number
    readonly databaseUs: number
    readonly filled: Memory
  }
  reads?: {
    /** From the start of the process until it listens, and until its first response. */
    readonly startMs: number
    readonly firstMs: number
    readonly started: Memory
    readonly times: Readonly<Record<string, Times>>
    readonly done: Memory
    readonly sweepSeconds: number
    readonly diskBytes: number
  }
  commands?: { backupSeconds?: number; restoreSeconds?: number; reindexSeconds?: number }
}

export const parts = ['fill', 'creates', 'reads', 'commands'] as const
export type Part = (typeof parts)[number]

/** What a measurement that was interrupted goes on from. */
export interface Progress {
  /** Tokens that are there, and the number of the next one. */
  count: number
  next: number
  rows: Row[]
}
