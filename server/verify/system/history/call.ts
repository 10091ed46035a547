/** A token as a response shows it. */
export interface Shown {
  readonly id: string
  /** Chosen by the client for one create; never changed. */
  readonly mark: string
  /** Members of the metadata that updates change one by one. */
  readonly fields: Readonly<Record<Field, string>>
  /** Has microseconds in a fixed form, so that texts compare like times. */
  readonly createdAt: string
}

/** `a` and `b` get a value that no other update has; `group` is searched for. */
export const fieldNames = ['a', 'b', 'group'] as const
export type Field = (typeof fieldNames)[number]

/** A request of a client. */
export type Request =
  | {
      readonly do: 'create'
      readonly mark: string
      readonly group: string
      /** Chosen by the client. */
      readonly id?: string
      /** The data, if the token is deduplicated. */
      readonly value?: string
    }
  | { readonly do: 'update'; readonly id: string; readonly field: Field; readonly text: string }
  | { readonly do: 'delete'; readonly id: string }
  | { readonly do: 'read'; readonly id: string }
  | {
      readonly do: 'page'
      /** Only tokens of this group: a search. Without it, a list. */
      readonly group?: string
      /** Continues after the token that was created at this time. */
      readonly after?: string
    }

/** What a client concludes from a response. */
export type Answer =
  /** 200 or 201 with a token. */
  | { readonly is: 'token'; readonly token: Shown; readonly isNew: boolean }
  /** 404 */
  | { readonly is: 'absent' }
  /** 409: the id is taken. */
  | { readonly is: 'taken' }
  /** Done once, at some time since the request, and the response does not show the token as it was then. */
  | { readonly is: 'done' }
  | {
      readonly is: 'page'
      readonly tokens: readonly Shown[]
      readonly total: number
      readonly isLast: boolean
    }

/**
 * A request and its response, as one client saw them. `from` and `to` are places in one order of all requests and
 * responses. Without a `to` the outcome is unknown: it happened or not, at any time since.
 */
export interface Call {
  readonly client: string
  readonly from: number
  readonly to?: number
  readonly request: Request
  readonly answer?: Answer
}
