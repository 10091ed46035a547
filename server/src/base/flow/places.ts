import { ServiceError } from '../errors.ts'
import { callerDisconnected, type Principal } from './principal.ts'

/** The places of one tenant. */
interface PlaceLimits {
  /** Those that work at once. */
  readonly running: number
  /** Those that wait; one more is refused. */
  readonly waiting: number
}

/** The part of a tenant's places that one application, and one session, can have. */
const shares = { application: 3 / 4, session: 1 / 2 }

interface Waiting {
  readonly principal: Principal
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

interface Tenant {
  readonly running: Principal[]
  readonly waiting: Waiting[]
}

/**
 * Places in which requests of each tenant work: so many at once, the rest in order of arrival. One application has at most
 * three quarters of them, one session a half, so that others of the tenant find room.
 */
export class Places {
  readonly #work: string
  readonly #limits: PlaceLimits
  /** Not deleted when it is empty: an entry that comes and goes with each request makes garbage that survives. */
  readonly #tenants = new Map<string, Tenant>()

  /** @param work in the plural, for the text of a refusal */
  constructor(work: string, limits: PlaceLimits) {
    this.#work = work
    this.#limits = limits
  }

  /**
   * Takes a place, until `release` is called with the same object. Returns a promise if all are taken.
   * @throws {ServiceError} rate_limited, if too many wait
   */
  take(principal: Principal): undefined | Promise<void> {
    const { running, waiting } = this.#of(principal.tenant)
    if (hasRoom(running, itself, principal, this.#limits.running)) {
      running.push(principal)
      return undefined
    }
    const isFull = () => !hasRoom(waiting, principalOf, principal, this.#limits.waiting)
    if (isFull()) dropGone(waiting)
    if (isFull()) throw this.#refusal()
    return new Promise((resolve, reject) => waiting.push({ principal, resolve, reject }))
  }

  /** Gives a place back. Does nothing if there is none. */
  release(principal: Principal): void {
    const { running, waiting } = this.#of(principal.tenant)
    const at = running.indexOf(principal)
    if (at === -1) return
    const last = running.pop() as Principal
    if (at < running.length) running[at] = last
    if (waiting.length > 0) this.#startNext(running, waiting)
  }

  /** Runs a task in a place. @throws {ServiceError} rate_limited, if too many wait */
  async run<T>(principal: Principal, task: () => Promise<T>): Promise<T> {
    const free = this.take(principal)
    if (free) await free
    try {
      return await task()
    } finally {
      this.release(principal)
    }
  }

  #startNext(running: Principal[], waiting: Waiting[]): void {
    for (;;) {
      const at = waiting.findIndex(({ principal }) =>
        hasRoom(running, itself, principal, this.#limits.running),
      )
      const [next] = at === -1 ? [] : waiting.splice(at, 1)
      if (!next) return
      if (next.principal.request?.isGone) {
        next.reject(callerDisconnected())
        continue
      }
      running.push(next.principal)
      next.resolve()
    }
  }

  #refusal(): ServiceError {
    return new ServiceError('rate_limited', `too many ${this.#work} of this tenant at once`, {
      headers: { 'Retry-After': '1' },
    })
  }

  #of(tenant: string): Tenant {
    const known = this.#tenants.get(tenant)
    if (known) return known
    const made: Tenant = { running: [], waiting: [] }
    this.#tenants.set(tenant, made)
    return made
  }
}

const itself = (principal: Principal) => principal
const principalOf = ({ principal }: Waiting) => principal

/** True if one more of this principal fits among others of its tenant. */
function hasRoom<One>(
  others: readonly One[],
  of: (one: One) => Principal,
  { application, session }: Principal,
  most: number,
): boolean {
  if (others.length >= most) return false
  // Fewer than the smallest share need not be counted.
  if (others.length < most * shares.session) return true
  let ofApplication = 0
  let ofSession = 0
  for (const one of others) {
    const other = of(one)
    if (application && other.application === application) ofApplication++
    if (session !== undefined && other.session === session) ofSession++
  }
  return ofApplication < most * shares.application && ofSession < most * shares.session
}

/** Ends the waits of callers that are gone. */
function dropGone(waiting: Waiting[]): void {
  const gone = waiting.filter(({ principal }) => principal.request?.isGone)
  if (gone.length === 0) return
  const rest = waiting.filter(({ principal }) => !principal.request?.isGone)
  waiting.splice(0, waiting.length, ...rest)
  for (const { reject } of gone) reject(callerDisconnected())
}
