import type { Capability } from '../../capabilities.ts'
import type { Context } from '../../harness/context.ts'
import { canonical } from '../../harness/finding.ts'
import type { Call, Reply } from '../../harness/target.ts'
import { allTokenPermissions } from '../values.ts'

/** A token of a fixture. Lists find it by its metadata `run`. */
export interface Shown {
  readonly id: string
  readonly run: string
}

/** The result of reading a token: its data, nothing, or a refusal. */
type Seen = { readonly data: unknown } | { readonly absent: true } | { readonly refused: Reply }

/** A way by which the data of a token reaches a caller. */
export interface Way {
  readonly name: string
  readonly title: string
  readonly permission: string
  /** False if the specification leaves this way open. */
  readonly isCore: boolean
  /** The status in the surrogate profile if the token does not exist; a list leaves it out. */
  readonly gone: 400 | 404 | 'absent'
  /** True if the way may show a write later than its response. */
  readonly lags?: true
  /** True if the way passes on raw data whatever the transform. */
  readonly isRaw?: true
  readonly needs: readonly Capability[]
  look(c: Context, call: Call, token: Shown): Promise<Seen>
}

const refused = (reply: Reply): Seen | undefined => (reply.status >= 400 ? { refused: reply } : undefined)

function listed(c: Context, reply: Reply, id: string): Seen {
  if (reply.status >= 400) return { refused: reply }
  c.ids(reply.body)
  const found = reply.body.data.find((one: { id: string }) => one.id === id)
  return found ? { data: found.data ?? undefined } : { absent: true }
}

/** A reactor that returns its arguments, for all cases. */
export const echoReactor = (c: Context): Promise<{ readonly id: string }> =>
  c.shared('echo', s => s.reactor({ code: 'module.exports = async req => ({ raw: req.args })' }))

const list = { permission: 'token:read', isCore: true, gone: 'absent', needs: [] } as const
const invoking = { permission: 'token:use', isRaw: true, gone: 400, isCore: true } as const

export const ways: readonly Way[] = [
  {
    name: 'get',
    title: 'reading it',
    permission: 'token:read',
    isCore: true,
    gone: 404,
    needs: [],
    async look(_c, call, { id }) {
      const reply = await call('GET', `/tokens/${id}`)
      return refused(reply) ?? { data: reply.body?.data ?? undefined }
    },
  },
  {
    ...list,
    name: 'list',
    title: 'a list',
    look: async (c, call, { id, run }) =>
      listed(c, await call('GET', `/tokens?metadata.run=${run}&size=100`), id),
  },
  {
    ...list,
    name: 'list-by-id',
    title: 'a list by its id',
    look: async (c, call, { id }) => listed(c, await call('GET', `/tokens?id=${id}`), id),
  },
  {
    ...list,
    name: 'search',
    title: 'a search',
    lags: true,
    permission: 'token:search',
    look: async (c, call, { id }) =>
      listed(c, await call('POST', '/tokens/search', { query: `id:"${id}"` }), id),
  },
  {
    name: 'patch',
    title: 'the response to an update',
    permission: 'token:update',
    isCore: true,
    gone: 404,
    needs: [],
    async look(_c, call, { id }) {
      const reply = await call('PATCH', `/tokens/${id}`, { metadata: { touched: 'yes' } })
      return refused(reply) ?? { data: reply.body?.data ?? undefined }
    },
  },
  {
    name: 'detokenize',
    title: 'detokenizing it',
    permission: 'token:use',
    isCore: false,
    gone: 400,
    needs: [],
    async look(_c, call, { id }) {
      const reply = await call('POST', '/detokenize', { value: `{{ ${id} }}` })
      return refused(reply) ?? { data: reply.body?.value ?? undefined }
    },
  },
  {
    ...invoking,
    name: 'react',
    title: 'an argument of a formula',
    needs: ['management'],
    async look(c, call, { id }) {
      const reply = await c.react(await echoReactor(c), { args: { value: `{{ ${id} }}` } }, call)
      return refused(reply) ?? { data: reply.body?.raw?.value }
    },
  },
  {
    ...invoking,
    name: 'webhook',
    title: 'a webhook',
    needs: ['management', 'callbacks'],
    async look(c, call, { id }) {
      const box = (await c.inbox()).open()
      const body = { args: { value: `{{ ${id} }}` }, callback_url: box.url }
      const reply = await c.react(await echoReactor(c), body, call)
      if (reply.status >= 400) return { refused: reply }
      const delivery = await c.eventually(async () => box.deliveries[0], 'the delivery')
      return { data: JSON.parse(delivery.text).raw?.value }
    },
  },
]

/**
 * Checks that a way shows nothing of a token, as if it did not exist. In core an expression in the arguments of a formula
 * that names no token may be filled in with anything but the data.
 */
export async function expectGone(
  c: Context,
  way: Way,
  call: Call,
  token: Shown,
  data?: unknown,
): Promise<void> {
  if (way.gone === 'absent') return expectSeen(c, way, call, token, 'no token')
  const seen = await way.look(c, call, token)
  if ('refused' in seen) {
    c.refused(seen.refused, way.gone, way.title)
    return
  }
  const complain = () => c.ok(false, `${way.title} is an error`, 'none')
  if (way.isRaw && 'data' in seen && canonical(seen.data) !== canonical(data)) c.surrogate(complain)
  else complain()
}

export async function expectData(
  c: Context,
  way: Way,
  call: Call,
  token: Shown,
  data: unknown,
): Promise<void> {
  await expectSeen(c, way, call, token, { data })
}

async function expectSeen(c: Context, way: Way, call: Call, token: Shown, expected: unknown): Promise<void> {
  const look = async () => {
    const seen = await way.look(c, call, token)
    if ('refused' in seen) c.success(seen.refused, way.gone === 'absent' ? 200 : undefined, way.title)
    return 'data' in seen ? { data: seen.data } : 'no token'
  }
  if (way.lags) await c.settles(look, expected, `what ${way.title} shows`)
  else c.equal(await look(), expected, `what ${way.title} shows`)
}

export type Transform = 'reveal' | 'mask' | 'redact'

/** The capabilities for `callerUnder`. */
export const callerNeeds: Readonly<Record<Transform, readonly Capability[]>> = {
  reveal: [],
  mask: ['masked-caller'],
  redact: ['redacted-caller'],
}

/** Callers that see data whole, masked or not at all: applications made for all cases, or keys of the settings. */
export async function callerUnder(c: Context, transform: Transform): Promise<Call> {
  const { privateKey, maskedKey, redactedKey } = c.target
  if (!c.has('applications'))
    return c.as({ reveal: privateKey, mask: maskedKey, redact: redactedKey }[transform])
  const { key } = await c.shared(`caller ${transform}`, s => s.ruled(transform, allTokenPermissions))
  return c.as(key)
}

/** Creates a token in the container that the rules of `callerUnder` cover. */
export async function tokenOf(s: Context, members: Record<string, unknown>): Promise<Shown> {
  const run = `${s.tag}${crypto.randomUUID().slice(0, 8)}`
  const { id } = await s.token({ ...members, metadata: { run } })
  return { id, run }
}
