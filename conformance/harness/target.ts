/** The server under test, and who the suite is to it. */
export interface Target {
  readonly baseUrl: string
  /** The key of an application that may do everything with tokens and sees them whole. */
  readonly privateKey: string
  /** The short name in the header names. */
  readonly headerPrefix: string
  readonly fetch: typeof fetch
}

export interface Exchange {
  readonly status: number
  readonly headers: Headers
  /** The body, parsed where it is JSON. */
  readonly body: unknown
}

/** One thing the specification says, tried on a server. It throws what it found instead. */
export interface Case {
  readonly id: string
  readonly title: string
  run(send: Send): Promise<void>
}

export type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Exchange>

/** What a server answered where the specification says something else. */
export class Finding extends Error {
  override readonly name = 'Finding'
}

/** A target that cannot be reached: says nothing about conformance. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** Requests as they are, not through a client that would put them right. */
export function sender(target: Target): Send {
  return async (method, path, body, headers = {}) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    let response: Response
    try {
      response = await target.fetch(`${target.baseUrl.replace(/\/$/, '')}${path}`, {
        method,
        headers: {
          [`${target.headerPrefix}-API-KEY`]: target.privateKey,
          ...(body === undefined ? {} : { 'Content-Type': type }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    } catch (error) {
      throw new Unreachable('the target cannot be reached', { cause: error })
    }
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: parsed(text) }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** @throws {Finding} with what was expected and what came */
export function expectEqual(found: unknown, expected: unknown, what: string): void {
  const [left, right] = [canonical(found), canonical(expected)]
  if (left !== right) throw new Finding(`${what}: expected ${right}, found ${left}`)
}

/** JSON with members in one order: the order of members means nothing. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_name, inner: unknown) =>
      inner !== null && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? 'nothing'
  )
}

export function member(exchange: Exchange, name: string): unknown {
  const { body } = exchange
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined
}
