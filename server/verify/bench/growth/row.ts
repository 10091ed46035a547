/** Milliseconds. */
export interface Times {
  readonly p50: number
  readonly p99: number
}

/** What was measured at one number of tokens. */
export interface Row {
  readonly size: number
  readonly fill: {
    readonly createsPerSecond: number
    /** The longest 99th percentile of a chunk, in milliseconds. */
    readonly createP99: number
    /** Processor time of a create, in microseconds. */
    readonly serverUs: number
    readonly databaseUs: number
    readonly startedMiB: number
    readonly filledMiB: number
  }
  /** From the start of the process until it listens, and until its first response. */
  readonly startMs: number
  readonly firstMs: number
  readonly times: Readonly<Record<string, Times>>
  readonly readMiB: number
  readonly diskBytes: number
  readonly sweepSeconds: number
  readonly backupSeconds: number
  readonly restoreSeconds: number
  readonly reindexSeconds?: number
}

/** What a measurement that was interrupted goes on from. */
export interface Progress {
  /** Tokens that are there, and the number of the next one. */
  count: number
  next: number
  /** The period of their creation. */
  fromMs?: number
  toMs?: number
  /** Some of them. */
  ids: string[]
  rows: Row[]
}
