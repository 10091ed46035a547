import { cases, marked, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import type { Call, Reply, SendOptions } from '../../harness/target.ts'
import { allTokenPermissions, card, times } from '../values.ts'
import type { Cell } from './cell.ts'

type Body = Record<string, unknown>

/** As many as a token may have. */
const mostMetadata = 50

/** A way to have a request refused. `members` make it invalid, `call` sends it, `options` change its form. */
export interface Refusal {
  readonly status: number
  readonly title: string
  readonly needs?: Cell['needs']
  readonly members?: (c: Context, taken: string) => Body
  readonly call?: (c: Context) => Promise<Call>
  readonly options?: SendOptions
  readonly isLarge?: true
}

export const plain = (type: string): SendOptions => ({ plain: true, headers: { 'Content-Type': type } })

const anyone: Readonly<Record<string, Refusal>> = {
  unknown: { status: 401, title: 'with an unknown key', call: async c => c.as(`key_prv_${c.tag}`) },
  forbidden: {
    status: 403,
    title: 'without the permission',
    needs: ['limited-caller'],
    async call(c) {
      if (!c.has('applications')) return c.as(c.target.limitedKey)
      return c.as((await c.shared('only uses', s => s.application({ permissions: ['token:use'] }))).key)
    },
  },
  'too-large': {
    status: 413,
    title: 'with a body that is too large',
    members: () => ({ metadata: { a: 'x'.repeat(1100 * 1024) } }),
    isLarge: true,
  },
}

const creates: Readonly<Record<string, Refusal>> = {
  ...anyone,
  invalid: {
    status: 400,
    title: 'with invalid data',
    members: () => ({ type: 'card', data: { ...card, number: 'none' } }),
  },
  'invalid-later': {
    status: 400,
    title: 'with an invalid expiry',
    members: () => ({ expires_at: 'tomorrow' }),
  },
  'invalid-index': {
    status: 400,
    title: 'with an index expression that evaluates to nothing',
    members: () => ({ search_indexes: ['{{ data }}', '{{ data.none }}'] }),
  },
  taken: { status: 409, title: 'with an id that is taken', members: (_c, id) => ({ id }) },
  'other-type': { status: 415, title: 'in another content type', options: plain('text/plain') },
}

const updates: Readonly<Record<string, Refusal>> = {
  ...anyone,
  invalid: { status: 400, title: 'with an invalid expiry', members: () => ({ expires_at: 'tomorrow' }) },
  'invalid-data': { status: 400, title: 'with invalid data', members: () => ({ data: { number: 'none' } }) },
  'index-of-nothing': {
    status: 400,
    title: 'with an index expression that evaluates to nothing',
    members: () => ({ search_indexes: ['{{ data.number }}', '{{ data.none }}'] }),
  },
  'index-unread': {
    status: 400,
    title: 'with an index expression that does not parse',
    members: () => ({ search_indexes: ['{{ data.number'] }),
  },
  'mask-unread': {
    status: 400,
    title: 'with a mask that does not parse',
    members: () => ({ mask: '{{ data' }),
  },
  'fingerprint-unread': {
    status: 400,
    title: 'with a fingerprint expression that does not parse',
    members: () => ({ fingerprint_expression: '{{ data' }),
  },
  'metadata-together': {
    status: 400,
    title: 'with metadata that are too many together with those that it has',
    members: () => ({ metadata: Object.fromEntries(times(mostMetadata, n => [`more_${n}`, 'x'])) }),
  },
  'other-type': { status: 415, title: 'in another content type', options: plain('application/json') },
  elsewhere: {
    status: 403,
    title: 'that moves it to a container without the permission',
    needs: ['applications'],
    call: async c => (await c.ruled('reveal', allTokenPermissions, `${c.container}in/`)).call,
  },
}

/** Core says that what fails validation, a content type and a lack of permission are errors; the rest is open. */
const coreCreates: Readonly<Record<string, string>> = {
  invalid: 'TOK-045',
  'invalid-later': 'TOK-045',
  'invalid-index': 'SEA-026',
  forbidden: 'AUT-002',
  unknown: 'AUT-001',
}
const coreUpdates: Readonly<Record<string, string>> = {
  invalid: 'TOK-036',
  'invalid-data': 'DAT-013',
  'index-of-nothing': 'SEA-026',
  'other-type': 'TOK-026',
  forbidden: 'AUT-004',
  unknown: 'AUT-001',
}
const surrogate = 'WIR-545'

export const send = (
  { isLarge, options }: Refusal,
  c: Context,
  ask: (options?: SendOptions) => Promise<Reply>,
) => (isLarge ? c.oversized(more => ask({ ...options, ...more })) : ask(options))

const createCells = Object.entries(creates).map(
  ([name, refusal]): Row => [
    `${coreCreates[name] ?? surrogate}.create-${name}-undone${marked(refusal.needs)}: a refused create stores nothing, and leaves its id free: one ${refusal.title}`,
    async c => {
      const metadata = { run: c.tag }
      const taken = await c.token({ id: `${c.tag}-taken`, metadata })
      const before = await c.read(taken.id)
      const valid = { type: 'token', data: c.tag, id: `${c.tag}-free`, containers: [c.container], metadata }
      const call = (await refusal.call?.(c)) ?? c.asPrivate
      const body = { ...valid, ...refusal.members?.(c, taken.id) }
      const reply = await send(refusal, c, options => call('POST', '/tokens', body, options))
      c.refused(reply, refusal.status, refusal.title)
      const list = await c.get(`/tokens?metadata.run=${c.tag}`, c.asPrivate)
      c.equal(c.ids(list), [taken.id], 'what is listed')
      await c.finds(`metadata.run:${c.tag}`, [taken.id], 'what is found')
      await c.finds('', [taken.id], 'what is found in the container')
      c.equal(await c.read(taken.id), before, 'a token that was there')
      c.refused(await c.asPrivate('GET', `/tokens/${valid.id}`), 404, 'reading the id')
      c.equal((await c.token(valid)).id, valid.id, 'the id of a valid create afterwards')
    },
  ],
)

const updateCells = Object.entries(updates).map(
  ([name, refusal]): Row => [
    `${coreUpdates[name] ?? surrogate}.update-${name}-undone${marked(refusal.needs)}: a refused update leaves each member as it was: one ${refusal.title}`,
    async c => {
      const { id } = await c.token({
        type: 'card',
        data: card,
        metadata: { run: c.tag },
        containers: [`${c.container}in/`],
      })
      const before = await c.read(id)
      const call = (await refusal.call?.(c)) ?? c.asPrivate
      const body = {
        data: { expiration_year: 2031 },
        metadata: { run: 'changed' },
        containers: [`${c.container}out/`],
        ...(name === 'elsewhere' ? {} : { mask: 'changed', fingerprint_expression: 'changed' }),
        expires_at: '2099-01-01',
        ...refusal.members?.(c, id),
      }
      const reply = await send(refusal, c, options => call('PATCH', `/tokens/${id}`, body, options))
      if (name === 'other-type') c.status(reply, 415)
      else c.refused(reply, refusal.status, refusal.title)
      c.equal(await c.read(id), before, 'the token')
      await c.finds(`container:"${c.container}in/"`, [id], 'what is found in its container')
      await c.finds(`container:"${c.container}out/"`, [], 'what is found in the other one')
      await c.finds('metadata.run:changed', [], 'what is found by the new metadata')
      await c.finds(`metadata.run:${c.tag}`, [id], 'what is found by its metadata')
      const list = await c.get(`/tokens?metadata.run=${c.tag}`, c.asPrivate)
      c.equal(list.data, [before], 'what is listed by its metadata')
    },
  ],
)

const deleteCells = (['unknown', 'forbidden'] as const).map(
  (name): Row => [
    `${name === 'unknown' ? 'AUT-001' : 'AUT-005'}.delete-${name}-undone${marked(anyone[name]?.needs)}: a refused delete leaves the token: one ${anyone[name]?.title}`,
    async c => {
      const { id } = await c.token()
      const before = await c.read(id)
      const call = await anyone[name]?.call?.(c)
      if (call) c.refused(await call('DELETE', `/tokens/${id}`), anyone[name]?.status, 'the delete')
      c.equal(await c.read(id), before, 'the token')
      c.success(await c.asPrivate('DELETE', `/tokens/${id}`), 204, 'the control')
    },
  ],
)

/** Authorizations that are refused: the nonce still works, and the session has no access until then. */
const authorizations: Readonly<Record<string, Refusal>> = {
  invalid: {
    status: 400,
    title: 'an expiry that is not a date',
    members: () => ({ expires_at: 'tomorrow' }),
  },
  'unknown-permission': {
    status: 400,
    title: 'a permission that does not exist',
    members: () => ({ permissions: ['token:none'] }),
  },
  public: { status: 403, title: 'the key of a public application', call: async c => c.asPublic },
  foreign: {
    status: 403,
    title: 'a permission that the application lacks',
    needs: ['applications'],
    call: async c => (await c.application({ permissions: ['token:use'] })).call,
  },
  'other-type': { status: 415, title: 'another content type', options: plain('text/plain') },
}

const sessionCells = Object.entries(authorizations).map(
  ([name, refusal]): Row => [
    `SES-505.${name}-undone${marked(['public', ...(refusal.needs ?? [])])}: a refused authorization leaves the nonce usable and the session without access: ${refusal.title}`,
    async c => {
      const { nonce, session_key } = await c.session()
      const grant = { nonce, permissions: ['token:create'], ...refusal.members?.(c, '') }
      const call = (await refusal.call?.(c)) ?? c.asPrivate
      const reply = await call('POST', '/sessions/authorize', grant, refusal.options)
      c.refused(reply, refusal.status, refusal.title)
      const token = { type: 'token', data: 1, containers: [c.container] }
      c.refused(await c.as(session_key)('POST', '/tokens', token), 403, 'the session afterwards')
      const valid = { nonce, permissions: ['token:create'] }
      c.success(await c.asPrivate('POST', '/sessions/authorize', valid), 200, 'the same nonce')
      c.success(await c.as(session_key)('POST', '/tokens', token), 201, 'the session then')
    },
  ],
)

/** What was refused has no effect: another caller finds everything as it was. */
export const undoneCases = cases([...createCells, ...updateCells, ...deleteCells, ...sessionCells])
