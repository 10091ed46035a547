/** Who a piece of work is for. A member that is absent is not known, or does not apply. */
export interface Party {
  readonly tenant?: string | undefined
  readonly application?: string | undefined
  readonly session?: string | undefined
  /** The host that a request is sent to, and the same with the tenant that sends it. */
  readonly host?: string | undefined
  readonly hostOfTenant?: string | undefined
}

type Scope = keyof Party

/** The limit on one kind of work: in total, and for each tenant, application, session and host. */
export type Bounds = { readonly [S in 'total' | Scope]?: number }

/**
 * Shares of these scopes are whole only while nobody else holds anything, and lower the more all hold together: so the
 * first that fill theirs leave room for others.
 */
const shrinking: ReadonlySet<Scope> = new Set(['tenant', 'host'])

/**
 * Counts the admitted work of one kind, such as formulas or bytes, in total and for each party, so that nobody can take
 * all of it. A single piece of work is admitted whatever its amount while its share is empty: limits of its own decide
 * how large it may be.
 */
export class Admission {
  readonly #bounds: Bounds
  readonly #scopes: readonly Scope[]
  /** Amounts by name, for each scope. A party without admitted work has no entry. */
  readonly #held: Readonly<Record<string, Map<string, number>>>
  readonly #refused: Record<string, number> = {}
  #total = 0

  constructor(bounds: Bounds) {
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

  /** Returns the scope without room for more work of a party, or `undefined` if there is room. */
  full(party: Party, amount = 1): keyof Bounds | undefined {
    if (!fits(this.#total, amount, this.#bounds.total)) return 'total'
    return this.#scopes.find(scope => {
      const name = party[scope]
      return name !== undefined && !fits(this.#of(scope, name), amount, this.#share(scope, amount))
    })
  }

  /** Admits work of a party and returns how to end it, or returns `undefined` and counts the refusal. */
  take(party: Party, amount = 1): (() => void) | undefined {
    const scope = this.full(party, amount)
    if (scope === undefined) return this.admit(party, amount)
    this.#refused[scope] = (this.#refused[scope] ?? 0) + 1
    return undefined
  }

  /** Like `take`, for work for which `full` has found room. */
  admit(party: Party, amount = 1): () => void {
    this.#count(party, amount)
    let isHeld = true
    return () => {
      if (isHeld) this.#count(party, -amount)
      isHeld = false
    }
  }

  /**
   * Returns the most that a party may hold once so much more is admitted. A shrinking share stands to what nobody holds as
   * it does when it is the only one and full: of 30, a share of 10 is half of what it leaves.
   */
  #share(scope: Scope, amount: number): number | undefined {
    const { total, [scope]: whole } = this.#bounds
    if (total === undefined || whole === undefined || whole >= total || !shrinking.has(scope)) return whole
    return ((total - this.#total - amount) * whole) / (total - whole)
  }

  #of(scope: Scope, name: string): number {
    return this.#held[scope]?.get(name) ?? 0
  }

  #count(party: Party, amount: number): void {
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
