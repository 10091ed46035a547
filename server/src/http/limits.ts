import { limits as contract } from '../generated/facts.ts'

const mebibyte = 1024 * 1024

/** From here on, in bytes, a body takes its time in each step: others have their turn between them. */
export const largeBody = 64 * 1024

/** The bounds at the door. Times are real milliseconds: they guard sockets, not tokens. */
export const limits = {
  /** Of requests outside of the contract; an operation has its own. */
  bodyBytes: contract.bodyBytes,
  /** What a formula is answered at most: as much as it may answer itself, and what JSON puts around it. */
  formulaAnswerBytes: 6 * mebibyte,
  /** What all bodies in memory may take together, each beyond its first `freeBodyBytes`. */
  allBodyBytes: 256 * mebibyte,
  freeBodyBytes: 64 * 1024,
  headerBytes: 16 * 1024,
  /** From the first byte of a request, or from the connection if none comes, to the end of its headers. */
  headersTimeoutMs: 10_000,
  /** From the first byte of a request to the end of its body. */
  requestTimeoutMs: 60_000,
  /** How long a connection stays open after an answer without a further request. */
  keepAliveTimeoutMs: 65_000,
  /** How long the receiver may take for an answer, or for the next piece of one that is sent in pieces. */
  answerTimeoutMs: 60_000,
  /** How long it may take for all pieces of an answer together. */
  wholeAnswerTimeoutMs: 600_000,
  /** How long a caller that goes on sending may take to see that it has been answered. */
  lingerMs: 2_000,
  /** How often the times above are checked: a connection may last so much longer. */
  checkIntervalMs: 1_000,
  /** How long a server that closes waits for what is in flight: longer than any formula waits and runs. */
  closeGraceMs: 22_000,
  /** Connections at once. A further one takes the place of the one that has been idle longest, if one is idle. */
  connections: 2_000,
  /** Unanswered requests of one connection. With a further one it is closed behind their answers. */
  pipelinedRequests: 100,
} as const

/** The bounds of connections; tests have smaller ones. */
export type ConnectionLimits = { readonly [Name in keyof typeof limits]: number }
