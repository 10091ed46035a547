const mebibyte = 1024 * 1024

/** From here on, in bytes, a body takes its time in each step: others have their turn between them. */
export const largeBody = 64 * 1024

/** The bounds at the door. Times are real milliseconds: they guard sockets, not tokens. */
export const limits = {
  // Requirements: ERR-505
  bodyBytes: mebibyte,
  // Requirements: INV-005
  reactBodyBytes: 5 * mebibyte,
  headerBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 65_000,
  /** How long a caller that goes on sending may take to see that it has been answered. */
  lingerMs: 2_000,
  /** How long a server that closes waits for what is in flight: longer than any formula runs. */
  closeGraceMs: 15_000,
} as const

export function bodyLimitOf(operationId: string): number {
  return operationId === 'reactors.react' ? limits.reactBodyBytes : limits.bodyBytes
}
