import type { Capability } from '../../capabilities.ts'
import type { Context } from '../../harness/context.ts'
import type { Call, Reply, SendOptions } from '../../harness/target.ts'
import type { Cell } from './cell.ts'

export type Body = Record<string, unknown>

/** An expiry that is accepted. */
export const expires = '2099-01-01T00:00:00Z'

/** A request of the contract with a body, with all its members. */
export interface Subject {
  readonly requirement: string
  readonly name: string
  readonly title: string
  /** Id of the operation whose limits hold. */
  readonly operation: string
  /** Where the contract states the limits of this part of the body, if not for the body as a whole. */
  readonly schema?: string
  readonly needs: readonly Capability[]
  /** A valid body with all members that have limits. */
  body(c: Context): Promise<Body>
  send(c: Context, body: Body, call?: Call, options?: SendOptions): Promise<Reply>
  /** Members at limits that no schema states. */
  readonly accepted?: readonly ((c: Context) => object)[]
  /** Rules of the schema without which the request means something else. */
  readonly open?: readonly string[]
  /** Members beyond them. */
  readonly refused?: Readonly<Record<string, (c: Context) => object>>
}

/** Tries each limit of a request: all members at their limits, and each one beyond it. */
export const limitCell = (one: Subject): Cell => ({
  ...one,
  title: `${one.title} accepts members at their limits, and refuses each beyond`,
  async run(c) {
    const schema = one.schema
      ? { $ref: one.schema }
      : (c.contract.operations.find(({ id }) => id === one.operation)?.body ?? {})
    const body = () => one.body(c)
    for (const end of ['most', 'least'] as const) {
      const whole = c.contract.limits.at(schema, await body(), end) as Body
      const reply = await one.send(c, whole)
      // Which one it is, is asked only of a server that refuses.
      if (reply.status >= 400)
        for (const [name, value] of Object.entries(whole))
          c.success(
            await one.send(c, { ...(await body()), [name]: value }),
            undefined,
            `${name} with the ${end}`,
          )
      c.success(reply, undefined, `all members together with the ${end}`)
    }
    for (const [index, members] of (one.accepted ?? []).entries())
      c.success(
        await one.send(c, { ...(await body()), ...members(c) }),
        undefined,
        `members at limits ${index + 1}`,
      )
    for (const { what, value } of c.contract.limits.beyond(schema, await body())) {
      if (one.open?.includes(what.trim())) continue
      c.refused(await one.send(c, value as Body), 400, what)
    }
    for (const [what, members] of Object.entries(one.refused ?? {}))
      c.refused(await one.send(c, { ...(await body()), ...members(c) }), 400, what)
  },
})
