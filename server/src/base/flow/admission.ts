import { ServiceError } from '../errors.ts'

/** Who a piece of work is for. A member that is absent is not known, or does not apply. */
export interface Party {
  readonly tenant?: string | undefined
  readonly application?: string | undefined
  readonly session?: string | undefined
  /** The address at the other end of a connection. */
  readonly peer?: string | undefined
  /** The host that a request is sent to, and the same with the tenant that sends it. */
  readonly host?: string | undefined
  readonly hostOfTenant?: string | undefined
}

type Scope = keyof Party

/** The limit on one kind of work: in total, and for each tenant, application, session, peer and host. */
export type Bounds = { readonly [S in 'total' | Scope]?: number }

/**
 * Shares of these scopes are whole only while nobody else holds anything, and lower the more all hold together: so the
 * first that fill theirs leave room for others.
 */
const shrinking: ReadonlySet<Scope> = new Set(['tenant', 'peer', 'host'])

/** Admitted work. */
export class Lease {
  readonly #admission: Admission
  #party: Party
  #amount: number

  /** Use `Admission.take`. */
  constructor(admission: Admission, party: Party, amount: number) {
    this.#admission = admission
    this.#party = party
    this.#amount = amount
  }

  /** Adds to the amount. Returns false, and adds nothing, if a share has no room. */
  add(amount: number): boolean {
    if (this.#admission.isRefused(this.#party, amount)) return false
    this.#admission.count(this.#party, amount)
    this.#amount += amount
    return true
  }

  /** Counts the work for another party from now on. Returns false, and changes nothing, if its share has no room. */
  assign(party: Party): boolean {
    const admission = this.#admission
    if (admission.isRefused(party, this.#amount, this.#party)) return false
    admission.count(this.#party, -this.#amount)
    this.#party = party
    admission.count(party, this.#amount)
    return true
  }

  /** Ends the work. A further call has no effect. */
  release(): void {
    this.#admission.count(this.#party, -this.#amount)
    this.#amount = 0
  }
}

/**
 * Counts the admitted work of one kind, such as connections or bytes, in total and for each party, so that nobody can
 * take all of it. A single piece of work is admitted whatever its amount while its share is empty: limits of its own
 * decide how large it may be.
 */
export class Admission {
  /** In the plural, such as `large requests`; for the texts of refusals. */
  readonly work: string
  readonly #bounds: Bounds
  readonly #scopes: readonly Scope[]
  /** Amounts by name, for each scope. A party without admitted work has no entry. */
  readonly #held: Readonly<Record<string, Map<string, number>>>
  readonly #refused: Record<string, number> = {}
  /** Who was refused while holding something, and has released nothing since. */
  readonly #exhausted = new Set<string>()
  #total = 0

  constructor(work: string, bounds: Bounds) {
    this.work = work
    this.#bounds = bounds
    const scopes = Object.keys(bounds) as (keyof Bounds)[]
    this.#scopes = scopes.filter(scope => scope !== 'total')
    this.#held = Object.fromEntries(this.#scopes.map(scope => [scope, new Map()]))
  }

  get limit(): number {
    return this.#bounds.total ?? Number.POSITIVE_INFINITY
  }

  get total(): number {
    return this.#total
  }

  /** The number of refusals by the scope that had no room. */
  get refused(): Readonly<Record<string, number>> {
    return this.#refused
  }

  /**
   * Returns the scope without room for more work of a party, or `undefined` if there is room.
   * @param before the party for which this work is counted already
   */
  full(party: Party, amount = 1, before?: Party): keyof Bounds | undefined {
    if (!before && !fits(this.#total, amount, this.#bounds.total)) return 'total'
    const total = this.#total + (before ? 0 : amount)
    return this.#scopes.find(scope => {
      const name = party[scope]
      if (name === undefined || name === before?.[scope]) return false
      return !fits(this.#of(scope, name), amount, this.#share(scope, total))
    })
  }

  /** Admits work of a party, or returns `undefined` and counts the refusal. */
  take(party: Party, amount = 1): Lease | undefined {
    return this.isRefused(party, amount) ? undefined : this.admit(party, amount)
  }

  /** Like `take`, for work for which `full` has found room. */
  admit(party: Party, amount = 1): Lease {
    this.count(party, amount)
    return new Lease(this, party, amount)
  }

  /** Like `take`. @throws {ServiceError} rate_limited if a share has no room, unavailable if the total has none */
  demand(party: Party, amount = 1): Lease {
    const lease = this.take(party, amount)
    if (lease) return lease
    throw this.refusal(this.full(party, amount))
  }

  /** Returns the error for work that was refused. */
  refusal(scope: keyof Bounds = 'total'): ServiceError {
    const headers = { 'Retry-After': '1' }
    if (scope === 'total') {
      return new ServiceError('unavailable', `too many ${this.work} at once; try again in a while`, {
        headers,
      })
    }
    const detail = `too many ${this.work} of this ${scope} at once; try again when some are done`
    return new ServiceError('rate_limited', detail, { headers })
  }

  /** True, and counted, if there is no room. @internal */
  isRefused(party: Party, amount: number, before?: Party): boolean {
    const scope = this.full(party, amount, before)
    if (scope === undefined) return false
    this.#refused[scope] = (this.#refused[scope] ?? 0) + 1
    const requester = requesterOf(party)
    const own = party.session === undefined ? 'application' : 'session'
    if (requester !== undefined && this.#of(own, requester) > 0) this.#exhausted.add(requester)
    return true
  }

  /**
   * Returns the most that a party may hold when all hold this total. A shrinking share stands to what nobody holds as it
   * does when it is the only one and full: of 30, a share of 10 is half of what it leaves.
   */
  #share(scope: Scope, held: number): number | undefined {
    const { total, [scope]: whole } = this.#bounds
    if (total === undefined || whole === undefined || whole >= total || !shrinking.has(scope)) return whole
    return ((total - held) * whole) / (total - whole)
  }

  /**
   * True if this application, or session, was refused and has released nothing since: then it is refused again, so what it
   * would be needed for should not begin.
   */
  isExhausted(party: Party): boolean {
    return this.#exhausted.has(requesterOf(party) ?? '')
  }

  #of(scope: Scope, name: string): number {
    return this.#held[scope]?.get(name) ?? 0
  }

  /** Adds to what a party holds. @internal */
  count(party: Party, amount: number): void {
    if (amount === 0) return
    if (amount < 0) this.#exhausted.delete(requesterOf(party) ?? '')
    this.#total += amount
    for (const scope of this.#scopes) {
      const name = party[scope]
      if (name === undefined) continue
      const held = this.#of(scope, name) + amount
      if (held === 0) this.#held[scope]?.delete(name)
      else this.#held[scope]?.set(name, held)
    }
  }
}

/** Returns the id of the session that requests something, or else of the application. */
export const requesterOf = <Application extends string | undefined>({
  session,
  application,
}: Pick<Party, 'session'> & { readonly application?: Application }): string | Application =>
  session ?? (application as Application)

const fits = (held: number, amount: number, most = Number.POSITIVE_INFINITY) =>
  held === 0 || held + amount <= most
