import type { Capability } from '../../capabilities.ts'
import { cases, marked, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import type { Call, Reply } from '../../harness/target.ts'
import { allTokenPermissions } from '../values.ts'

type Members = Record<string, unknown>

/** An update of a token beside another with data that ends in 1, and if it makes a duplicate of that. */
interface Change {
  readonly title: string
  /** The token that is updated. */
  readonly token: (c: Context) => Members
  readonly patch: (c: Context) => Members
  readonly duplicates: boolean
}

const changes: Readonly<Record<string, Change>> = {
  'flag-set': {
    title: 'deduplication is set on a token with the data of another',
    token: c => ({ data: `${c.tag}1` }),
    patch: () => ({ deduplicate_token: true }),
    duplicates: true,
  },
  'flag-and-data': {
    title: 'deduplication is set with the data of another token',
    token: c => ({ data: `${c.tag}2` }),
    patch: c => ({ deduplicate_token: true, data: `${c.tag}1` }),
    duplicates: true,
  },
  data: {
    title: 'a token under deduplication gets the data of another',
    token: c => ({ data: `${c.tag}2`, deduplicate_token: true }),
    patch: c => ({ data: `${c.tag}1` }),
    duplicates: true,
  },
  expression: {
    title: 'a token under deduplication gets an expression of its own with the result of another',
    token: c => ({ data: `${c.tag}2`, deduplicate_token: true }),
    patch: c => ({
      fingerprint_expression: `{{ data | replace: '${c.tag}2', '${c.tag}1' }}`,
      metadata: { changed: 'yes' },
    }),
    duplicates: false,
  },
  'flag-alone': {
    title: 'deduplication is set on a token with data of its own',
    token: c => ({ data: `${c.tag}2` }),
    patch: () => ({ deduplicate_token: true, metadata: { changed: 'yes' } }),
    duplicates: false,
  },
  'flag-kept': {
    title: 'a token under deduplication keeps its data',
    token: c => ({ data: `${c.tag}2`, deduplicate_token: true }),
    patch: () => ({ metadata: { changed: 'yes' } }),
    duplicates: false,
  },
  'flag-removed': {
    title: 'deduplication is removed with the data of another token',
    token: c => ({ data: `${c.tag}2`, deduplicate_token: true }),
    patch: c => ({ deduplicate_token: false, data: `${c.tag}1`, metadata: { changed: 'yes' } }),
    duplicates: false,
  },
  'flag-null': {
    title: 'deduplication is removed by null with the data of another token',
    token: c => ({ data: `${c.tag}2`, deduplicate_token: true }),
    patch: c => ({ deduplicate_token: null, data: `${c.tag}1`, metadata: { changed: 'yes' } }),
    duplicates: false,
  },
  'no-flag': {
    title: 'a token without deduplication gets the data of another',
    token: c => ({ data: `${c.tag}2` }),
    patch: c => ({ data: `${c.tag}1`, metadata: { changed: 'yes' } }),
    duplicates: false,
  },
}

const updateCells = Object.entries(changes).map(
  ([name, { title, token, patch, duplicates }]): Row => [
    `TOK-509.${name}: ${title}`,
    async c => {
      const original = await c.token({ data: `${c.tag}1`, metadata: { is: 'original' } })
      await c.token({ data: `${c.tag}1`, metadata: { is: 'younger' } })
      const { id } = await c.token(token(c))
      const { fingerprint } = await c.read(id)
      const options = c.keyed()
      const send = async () => c.success(await c.asPrivate('PATCH', `/tokens/${id}`, patch(c), options), 200)
      const first = (await send()).body
      c.equal(first.id, duplicates ? original.id : id, 'id of the response')
      c.equal((await send()).body.id, first.id, 'id of the response to the same request again')
      const now = await c.read(id)
      if (duplicates) c.equal([now.fingerprint, now.metadata], [fingerprint, undefined], 'the token')
      else c.equal(now.metadata, { changed: 'yes' }, 'metadata of the token')
    },
  ],
)

/** Callers who may update, and what the response to an update that makes a duplicate shows them of the original. */
const callers: Readonly<
  Record<
    string,
    { readonly permissions: readonly string[]; readonly transform: string; readonly data?: string }
  >
> = {
  mask: { permissions: allTokenPermissions, transform: 'mask', data: 'masked' },
  redact: { permissions: allTokenPermissions, transform: 'redact' },
}
const shownCells = Object.entries(callers).map(
  ([name, { permissions, transform, data }]): Row => [
    `TOK-509.shown-${name} [applications]: a caller under ${name} is shown the original as a read shows it`,
    async c => {
      const original = await c.token({
        data: 'original',
        mask: 'masked',
        // Of the same text, so that it makes the other token a duplicate.
        fingerprint_expression: c.tag,
        metadata: { a: 'b' },
      })
      const { call } = await c.ruled(transform, permissions)
      const again = await c.token({ fingerprint_expression: c.tag, data: 'third' })
      const reply = await call('PATCH', `/tokens/${again.id}`, { deduplicate_token: true })
      const shown = c.success(reply, 200).body
      c.equal([shown.id, shown.data, shown.metadata], [original.id, data, { a: 'b' }], 'the original')
    },
  ],
)

/** Creates with deduplication by callers who may not read the original. */
const createCell = cases({
  'TOK-501.unreadable [applications]: a create with deduplication shows a caller who may not read the original nothing of its contents':
    async c => {
      const original = await c.token({ metadata: { a: 'b' }, mask: 'masked' })
      const { call } = await c.ruled('reveal', ['token:create'])
      const body = { type: 'token', data: c.tag, containers: [c.container], deduplicate_token: true }
      for (const [path, sent] of [
        ['/tokens', body],
        ['/tokenize', body],
      ] as const) {
        const shown = c.success(await call('POST', path, sent), 200).body
        c.equal(shown.id, original.id, `id by ${path}`)
        const names = ['data', 'metadata', 'mask', 'fingerprint_expression', 'search_indexes']
        c.equal(
          names.filter(name => (shown[name] ?? null) !== null),
          [],
          `contents by ${path}`,
        )
        c.equal(shown.fingerprint, original.fingerprint, `fingerprint by ${path}`)
      }
    },
})

/** Ways to create a token with deduplication. Each resolves with the token that the response shows. */
const waysToCreate: Readonly<
  Record<
    string,
    {
      readonly needs: readonly Capability[]
      create(c: Context, body: Members, call: Call): Promise<Reply['body']>
    }
  >
> = {
  create: {
    needs: [],
    create: async (c, body, call) =>
      c.success(await call('POST', '/tokens', body), undefined, 'a create').body,
  },
  tokenize: {
    needs: [],
    create: async (c, body, call) => c.success(await call('POST', '/tokenize', body), 200, 'tokenize').body,
  },
  formula: {
    needs: ['management'],
    async create(c, body, call) {
      // Not an argument, as its expressions would be references.
      const code = `module.exports = async () => ({ tokenize: ${JSON.stringify(body)} })`
      const reactor = await c.reactor({ code })
      return c.success(await c.react(reactor, {}, call), 200, 'an invocation').body.tokens
    },
  },
}

/** A literal expression that equals what another token is known by. */
const plantedCells = Object.entries(waysToCreate).map(
  ([name, { needs, create }]): Row => [
    `TOK-548.${name}${marked(needs)}: ${name} with deduplication finds no token whose fingerprint another expression made`,
    async c => {
      const planted = await c.token({ data: 'planted', fingerprint_expression: c.tag })
      const body = { type: 'token', data: c.tag, containers: [c.container], deduplicate_token: true }
      const expression = '{{ data }}'
      const made = await create(c, { ...body, fingerprint_expression: expression }, c.asPrivate)
      c.equal(made.fingerprint, planted.fingerprint, 'fingerprint')
      c.ok(made.id !== planted.id, 'the token is another one', made.id)
      const again = await create(c, { ...body, fingerprint_expression: expression }, c.asPrivate)
      c.equal(again.id, made.id, 'id for the same expression')
    },
  ],
)

/** Originals in containers where the caller may not create. */
const elsewhereCells = Object.entries(waysToCreate).map(
  ([name, { needs, create }]): Row => [
    `TOK-549.${name}${marked([...needs, 'applications'])}: ${name} with deduplication finds no token where the caller may not create`,
    async c => {
      const [here, there] = [`${c.container}here/`, `${c.container}there/`]
      const { call } = await c.ruled('reveal', ['token:create', 'token:use'], here)
      const body = { type: 'token', data: c.tag, deduplicate_token: true }
      const hidden = await c.token({ ...body, containers: [there] })
      const half = await c.token({ data: c.tag, containers: [here, there] })
      const made = await create(c, { ...body, containers: [here] }, call)
      c.ok(![hidden.id, half.id].includes(made.id), 'the token is another one', made.id)
      const again = await create(c, { ...body, containers: [`${here}below/`] }, call)
      c.equal(again.id, made.id, 'id where the caller may create')
      const whole = await create(c, { ...body, containers: [here] }, c.asPrivate)
      c.equal(whole.id, hidden.id, 'id for a caller that may create in all containers')
    },
  ],
)

const updateElsewhere = cases({
  'TOK-549.update [applications]: an update finds no token that the caller may not update': async c => {
    const [here, there] = [`${c.container}here/`, `${c.container}there/`]
    const original = await c.token({ containers: [there] })
    const { id } = await c.token({ containers: [here] })
    const narrow = await c.ruled('mask', ['token:update'], here)
    const wide = await c.ruled('mask', ['token:update'])
    const patch = { deduplicate_token: true }
    const options = c.keyed()
    const send = () => wide.call('PATCH', `/tokens/${id}`, patch, options)
    for (const which of ['first', 'second'])
      c.equal(c.success(await send(), 200).body.id, original.id, `id of the ${which} response`)
    const rules = [{ priority: 1, container: here, transform: 'mask', permissions: ['token:update'] }]
    const rights = { name: c.tag, rules }
    c.success(await c.asManagement('PUT', `/applications/${wide.id}`, rights), 200, 'the change of rights')
    c.refused(await send(), 403, 'the same request without the right to update the original')
    c.equal((await c.patch(id, patch, narrow.call)).id, id, 'id for a caller that may update one')
  },
})

const withinPayload = cases({
  'TOK-549.payload [management, applications]: a token of a payload of a formula is not an original where the caller may not create':
    async c => {
      const body = { type: 'token', data: c.tag, containers: [c.container], deduplicate_token: true }
      const code = `module.exports = async () => ({ tokenize: ${JSON.stringify([body, body])} })`
      const reactor = await c.reactor({ code })
      const ids = async (call: Call) => {
        const { tokens } = c.success(await c.react(reactor, {}, call), 200, 'an invocation').body
        return new Set(tokens.map(({ id }: { id: string }) => id)).size
      }
      const { call } = await c.ruled('reveal', ['token:use', 'token:read'])
      c.equal(await ids(call), 2, 'tokens of a caller that may not create')
      c.equal(await ids(c.asPrivate), 1, 'tokens of a caller that may create')
    },
})

/** Updates and creates under deduplication. */
export const duplicateCases = cases([
  ...updateCells,
  ...shownCells,
  ...createCell,
  ...plantedCells,
  ...elsewhereCells,
  ...updateElsewhere,
  ...withinPayload,
])
