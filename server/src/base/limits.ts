import { limits } from '../generated/facts.ts'
import { Admission, type Bounds } from './flow/admission.ts'

// The limits that are not part of the contract.

/** Limits of the same names with any values, such as smaller ones for tests. */
export type LimitsLike<T> = {
  readonly [Name in keyof T]: T[Name] extends number ? number : LimitsLike<T[Name]>
}

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

/** From this size on, in bytes, a request yields to others between the steps that go through its whole body. */
export const largeBody = 64 * kibibyte

/** Limits on connections and requests. Times are real milliseconds: they protect sockets, not tokens. */
export const connectionLimits = {
  /** The body of a request outside the contract. Operations have limits of their own. */
  bodyBytes: limits.bodyBytes,
  /** The response to a request of a formula: as much as a formula may return, and JSON around it. */
  formulaAnswerBytes: 6 * mebibyte,
  headerBytes: 16 * kibibyte,
  /** From the first byte of a request, or from the connection if none comes, to the end of its headers. */
  headersTimeoutMs: 10_000,
  /** From the first byte of a request to the end of its body. */
  requestTimeoutMs: 60_000,
  /** Time that a connection stays open after a response, without a further request. */
  keepAliveTimeoutMs: 65_000,
  /** The size of the pieces in which a long response is sent. */
  pieceBytes: 64 * kibibyte,
  /** Interval of the checks of the times above; a connection may last this much longer. */
  checkIntervalMs: 1_000,
  /** Time that a closing server waits for requests in flight: longer than any formula waits and runs. */
  closeGraceMs: 22_000,
  /** Time without a new connection or request before a port closes. Responses are held back meanwhile. */
  closeHoldMs: 20,
  /** How often that time begins anew, because something came. */
  closeHolds: 50,
  /** Time that a closing server waits for the first request of a connection that was just opened. */
  closeUnusedMs: 1_000,
  /** Open connections. Node drops those beyond it. */
  connections: 2_000,
  /** Bytes of request bodies and large responses in memory, of all callers. */
  bodiesBytes: 256 * mebibyte,
  /** A response that is longer counts. */
  smallResponseBytes: 4 * kibibyte,
  /** Time without a byte in either direction, such as a response that its receiver does not take. */
  silenceTimeoutMs: 90_000,
  /** Requests of one connection without a complete response. One more is refused, and ends the connection. */
  pipelinedRequests: 16,
} as const

/**
 * Requests of one tenant that work at once, and those that wait: those that evaluate a few expressions, those that open many
 * records, and those whose body is large.
 */
export const placeLimits = {
  short: { running: 100, waiting: 4_000 },
  long: { running: 16, waiting: 1_000 },
  large: { running: 4, waiting: 1_000 },
} as const

/** Records of one tenant that are read alone, once a large one of their kind was seen. */
export const largeRecordLimits = { running: 4, waiting: 1_000 } as const

/** Reactors of one tenant that are made, changed or deleted: they count uses in the same records. */
export const reactorChangeLimits = { running: 1, waiting: 1_000 } as const

export type ConnectionLimits = LimitsLike<typeof connectionLimits>

/**
 * Limits on all work that is admitted at once, in total and for each party. What exceeds a share is refused with 429 or
 * 503, or its connection is closed. `guide/limits.md` shows this table.
 */
export const admissionBounds = {
  /** Unfinished asynchronous invocations. They are in the store, so that all servers count them together. */
  jobs: { tenant: 1_000, application: 500, session: 100 },
  /** Formulas of asynchronous invocations and attempts to deliver their answers, by one server. */
  runningJobs: { total: 8, tenant: 4, application: 3, session: 1 },
  deliveries: { total: 30, tenant: 8, application: 6, session: 2, host: 15, hostOfTenant: 5 },
  /** Formulas that wait for a process, and the bytes of their input, for each lane and depth. */
  formulas: { total: 512, tenant: 64, application: 48, session: 16 },
  formulaBytes: {
    total: 64 * mebibyte,
    tenant: 16 * mebibyte,
    application: 12 * mebibyte,
    session: 4 * mebibyte,
  },
  /** Requests of `/proxy` that wait for their targets, and those of formulas. */
  proxied: { total: 200, tenant: 50, application: 40, session: 12 },
  fetches: { total: 200, tenant: 50, application: 40, session: 12 },
} as const satisfies Record<string, Bounds>

export type AdmittedKind = keyof typeof admissionBounds

export type AdmissionBounds = Readonly<Record<AdmittedKind, Bounds>>

/** Limits on the cost of an expression. `expressions/README.md` explains each. */
export const expressionLimits = {
  templateLength: limits.expressionCharacters,
  nesting: 32,
  operands: 200,
  steps: 2_000,
  /** Of all expressions of a payload together, between which others have their turn. */
  payloadSteps: 20_000,
  textLength: 65_536,
  rangeLength: 10_000,
  treeExpressions: 1_000,
  cachedTemplates: 2_000,
  cachedLength: 262_144,
} as const

/** Limits on the cost of invocations, beyond those that depend on the machine. Times are in real milliseconds. */
export const sandboxLimits = {
  /** Processor time of one invocation, by lane. */
  cpuMs: { sync: 5_000, async: 30_000 },
  /** Size of the JSON that an invocation returns. */
  outputBytes: limits.formulaOutputBytes,
  /** V8's heap of one process. */
  heapMiB: 96,
  /** All private memory of a process, including buffers outside the heap. */
  dataMiB: 320,
  /** The usual resident memory of a process. Determines how many processes there may be. */
  usualMiB: 128,
  /** Requests of `svc` and `fetch`: open at once, in total, bytes of each body, and bytes of unread responses. */
  calls: { open: 20, total: 200, bodyBytes: limits.formulaOutputBytes, unreadBytes: 32 * mebibyte },
  /** Output on the console; the rest is dropped. */
  console: { lines: 100, lineLength: 4_096, bytes: 64 * kibibyte },
  /** Frames and bytes that one invocation may send, of all types together. */
  traffic: { frames: 1_000, bytes: 64 * mebibyte },
  /** Pending timers. */
  timers: 256,
  /** Time that an invocation may wait for a process. */
  waitMs: 10_000,
  /** The wait of a tenant for its next process after its code caused one to be ended. */
  backOff: { firstMs: 100, mostMs: 3_000, forgetMs: 60_000, tenants: 10_000 },
  /** Maximum nesting of formulas that call formulas. */
  depth: limits.formulaDepth,
  /** Started processes without a tenant. */
  spares: 2,
  /** Time that a free process waits for the next invocation of its tenant. */
  idleMs: 60_000,
  /** A process is replaced after this many invocations, or above this resident size. */
  runsPerProcess: 10_000,
  residentMiB: 160,
  /** Time from the answer until nothing of the invocation may be left. */
  drainMs: 150,
  /** Time for a process to start. */
  startMs: 10_000,
} as const

/** The places that admit exchanges of one server. */
export interface Admissions {
  readonly proxied: Admission
  readonly fetches: Admission
}

export function createAdmissions(bounds: Partial<AdmissionBounds> = {}): Admissions {
  const { proxied, fetches } = { ...admissionBounds, ...bounds }
  return { proxied: new Admission(proxied), fetches: new Admission(fetches) }
}
