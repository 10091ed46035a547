import { limits as contract } from '../generated/facts.ts'

const mebibyte = 1024 * 1024

/** From this size on, in bytes, a request yields to others between the steps that go through its whole body. */
export const largeBody = 64 * 1024

/** Limits on connections and requests. Times are real milliseconds: they protect sockets, not tokens. */
export const limits = {
  /** The body of a request outside the contract. Operations have limits of their own. */
  bodyBytes: contract.bodyBytes,
  /** The response to a request of a formula: as much as a formula may return, and JSON around it. */
  formulaAnswerBytes: 6 * mebibyte,
  /** All bodies in memory together, not counting the first `freeBodyBytes` of each. */
  allBodyBytes: 256 * mebibyte,
  freeBodyBytes: 64 * 1024,
  headerBytes: 16 * 1024,
  /** From the first byte of a request, or from the connection if none comes, to the end of its headers. */
  headersTimeoutMs: 10_000,
  /** From the first byte of a request to the end of its body. */
  requestTimeoutMs: 60_000,
  /** Time that a connection stays open after a response, without a further request. */
  keepAliveTimeoutMs: 65_000,
  /** Time for the receiver to read a response, or the next piece of one that is sent in pieces. */
  answerTimeoutMs: 60_000,
  /** Time for the receiver to read all pieces of a response. */
  wholeAnswerTimeoutMs: 600_000,
  /** Time for a caller that is still sending its body to notice the response. */
  lingerMs: 2_000,
  /** Interval of the checks of the times above; a connection may last this much longer. */
  checkIntervalMs: 1_000,
  /** Time that a closing server waits for requests in flight: longer than any formula waits and runs. */
  closeGraceMs: 22_000,
  /** Simultaneous connections. One more replaces the one that has been idle longest, if one is idle. */
  connections: 2_000,
  /** Unanswered requests of one connection. One more closes the connection after their responses. */
  pipelinedRequests: 100,
} as const

/** The limits of connections. Tests use smaller ones. */
export type ConnectionLimits = { readonly [Name in keyof typeof limits]: number }
