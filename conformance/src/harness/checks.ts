import { canonical, type Evidence, expectEqual, Finding, restricted } from './finding.ts'
import type { Reply } from './target.ts'

/** Checks of responses. Each throws a `Finding` if it does not hold, or keeps one that counts in surrogate only. */
export class Checks {
  /** Findings that count only in the surrogate profile. */
  readonly findings: ({ readonly message: string } & Evidence)[] = []

  equal(found: unknown, expected: unknown, what: string): void {
    expectEqual(found, expected, what)
  }

  /**
   * Checks what no comparison expresses.
   * @param what a sentence that should be true
   * @param found the value that decides, for the finding
   */
  ok(holds: unknown, what: string, found: unknown): void {
    if (!holds) throw new Finding(`expected that ${what}, found ${canonical(found)}`)
  }

  /**
   * Checks that a value has all expected members. Other members are allowed, and null means absent: the specification
   * allows both for a member that is not set.
   */
  matches(found: unknown, expected: unknown, what: string): void {
    expectEqual(restricted(found, expected), restricted(expected, expected), what)
  }

  /** Checks for a status that the specification itself names. */
  status(reply: Reply, expected: number, what = 'status'): Reply {
    if (reply.status !== expected)
      throw new Finding(`${what}: expected ${expected}, found ${reply.status}`, reply)
    return reply
  }

  /** @param exact the status in the surrogate profile; in core any 2xx is a success */
  success(reply: Reply, exact?: number, what = 'the request'): Reply {
    if (reply.status < 200 || reply.status > 299)
      throw new Finding(`${what} was not accepted: expected a success (2xx), found ${reply.status}`, reply)
    this.#exactly(reply, exact, what)
    return reply
  }

  /** @param exact the status in the surrogate profile; in core any 4xx is an error */
  refused(reply: Reply, exact?: number, what = 'the request'): Reply {
    if (reply.status < 400 || reply.status > 499)
      throw new Finding(`${what}: expected an error (4xx), found ${reply.status}`, reply)
    this.#exactly(reply, exact, what)
    return reply
  }

  #exactly(reply: Reply, exact: number | undefined, what: string): void {
    if (exact !== undefined && reply.status !== exact)
      this.findings.push({
        message: `${what}: expected ${exact}, found ${reply.status}`,
        exchange: reply.exchange,
      })
  }

  /** Runs a check that counts only in the surrogate profile, inside a case of core. */
  surrogate(check: () => void): void {
    try {
      check()
    } catch (error) {
      if (!(error instanceof Finding)) throw error
      this.findings.push({ message: error.message, ...error.evidence })
    }
  }

  /**
   * Checks that something is refused: sends `control`, which has to be accepted, then each mutation of it, which differs
   * in one thing and has to be refused.
   * @param exact as for `refused`; `{ status }` if the specification itself names the status
   */
  async refuses<T>(
    exact: number | { readonly status: number } | undefined,
    send: (request: T) => Promise<Reply>,
    control: T,
    mutations: Readonly<Record<string, T>>,
  ): Promise<void> {
    this.success(await send(control), undefined, 'the control')
    for (const [what, mutation] of Object.entries(mutations)) {
      const reply = await send(mutation)
      if (typeof exact === 'object') this.status(reply, exact.status, what)
      else this.refused(reply, exact, what)
    }
  }
}
