import { cases, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import { minute, rule } from '../values.ts'

const revealing = (container: string, permissions: readonly string[], priority = 1) =>
  rule(container, 'reveal', permissions, priority)

/** Authorizes a session by an application, and returns a function that sends requests with its key. */
async function grantedBy(c: Context, authorizer: { readonly call: Context['asPrivate'] }, grant: object) {
  const { nonce, session_key } = await c.session()
  c.success(
    await authorizer.call('POST', '/sessions/authorize', { nonce, ...grant }),
    200,
    'the authorization',
  )
  return c.as(session_key)
}

interface Entry {
  readonly operation: string
  readonly actor_id?: string
  readonly actor_type: string
  readonly entity_id?: string
}

/** Waits for an entry of the log about sessions. */
const logged = (c: Context, what: string, is: (entry: Entry) => boolean): Promise<Entry> =>
  c.eventually(async () => {
    const reply = await c.asManagement('GET', '/logs?entity_type=session&size=100')
    return c.success(reply, 200).body.data.find(is) as Entry | undefined
  }, `an entry ${what}`)

const cells = cases({
  'SES-544.authorizer-narrower: a session does not reach beyond the rules of its authorizer': async c => {
    const [inner, outer] = [await c.token({ containers: [`${c.container}a/`] }), await c.token()]
    const authorizer = await c.application({ rules: [revealing(`${c.container}a/`, ['token:read'])] })
    const call = await grantedBy(c, authorizer, { rules: [revealing('/', ['token:read'])] })
    c.success(await call('GET', `/tokens/${inner.id}`), 200, 'within the rules of both')
    c.refused(await call('GET', `/tokens/${outer.id}`), 403, 'within the grant alone')
    c.equal(c.ids(await c.get('/tokens', call)), [inner.id], 'the list')
  },
  'SES-544.authorizer-lists: a session whose authorizer may not read any more cannot list': async c => {
    const authorizer = await c.application({ permissions: ['token:read'] })
    const call = await grantedBy(c, authorizer, { permissions: ['token:read'] })
    c.success(await call('GET', '/tokens'), 200, 'before')
    const less = { name: c.tag, permissions: ['token:create'] }
    c.success(await c.asManagement('PUT', `/applications/${authorizer.id}`, less), 200)
    c.refused(await call('GET', '/tokens'), 403, 'afterwards')
  },
  'SES-502.rule: a rule with a permission that the authorizer does not hold cannot be granted': async c => {
    const authorizer = await c.application({ permissions: ['token:read', 'token:create'] })
    const { nonce } = await c.session()
    const grant = (...rules: object[]) =>
      authorizer.call('POST', '/sessions/authorize', { nonce, permissions: ['token:read'], rules })
    c.refused(
      await grant(revealing('/a/', ['token:create']), revealing('/b/', ['token:delete'], 2)),
      403,
      'token:delete',
    )
    c.refused(
      await grant(revealing('/a/', ['token:create']), revealing('/b/', ['token:create'])),
      400,
      'one priority twice',
    )
    c.success(
      await grant(revealing('/a/', ['token:create']), revealing('/b/', ['token:read'], 2)),
      200,
      'what it holds',
    )
  },
  'INV-511.session [public, management, callbacks]: an invocation that a session started is delivered with the data that it may use':
    async c => {
      const { id } = await c.token()
      const reactor = await c.reactor()
      const { call } = await c.authorized({ permissions: ['token:use'] })
      const { first } = await c.delivered(reactor, { value: `{{ ${id} }}` }, [], call)
      c.equal(JSON.parse(first.text).raw?.value, c.tag, 'the data')
    },
  'LOG-501.sessions [public, management, applications]: the log shows who created, authorized and ended a session':
    async c => {
      const creator = await c.application({ permissions: ['token:create'] }, 'public')
      const authorizer = await c.application({ permissions: ['token:create'] })
      const { nonce } = c.success(await creator.call('POST', '/sessions'), 201).body
      const grant = { nonce, permissions: ['token:create'] }
      c.success(await authorizer.call('POST', '/sessions/authorize', grant), 200)
      const made = await logged(
        c,
        'session:create',
        ({ operation, actor_id }) => operation === 'session:create' && actor_id === creator.id,
      )
      const of =
        (name: string) =>
        ({ operation, entity_id }: Entry) =>
          operation === name && entity_id === made.entity_id
      c.equal(
        (await logged(c, 'session:authorize', of('session:authorize'))).actor_id,
        authorizer.id,
        'authorizer',
      )
      c.success(await c.asManagement('DELETE', `/applications/${authorizer.id}`), 204)
      await logged(c, 'session:delete', of('session:delete'))
    },
  'LOG-501.expired [public, management, applications, clock]: the log shows that the service itself ended a session and a token':
    async c => {
      const creator = await c.application({ permissions: ['token:create'] }, 'public')
      c.success(await creator.call('POST', '/sessions'), 201)
      const made = await logged(
        c,
        'session:create',
        ({ operation, actor_id }) => operation === 'session:create' && actor_id === creator.id,
      )
      const { id } = await c.token({ expires_at: await c.later(2 * minute) })
      await c.advance(70 * minute)
      const ended = ({ operation, entity_id }: Entry) =>
        operation === 'session:expire' && entity_id === made.entity_id
      c.equal((await logged(c, 'session:expire', ended)).actor_type, 'system', 'who ended the session')
      const token = await c.eventually(async () => {
        const { data } = await c.get(`/logs?entity_id=${id}`)
        return data.find((one: Entry) => one.operation === 'token:expire') as Entry | undefined
      }, 'an entry token:expire')
      c.equal(token.actor_type, 'system', 'who ended the token')
    },
  'IDE-522.regenerated [applications]: a repeated create of an application is 404 once it has another key':
    async c => {
      const options = c.keyed()
      const body = { name: c.tag, type: 'private', permissions: ['token:read'] }
      const send = () => c.asManagement('POST', '/applications', body, options)
      const { id, key } = c.success(await send(), 201).body
      c.equal(c.success(await send(), 201).body.key, key, 'the key again')
      c.success(await c.asManagement('POST', `/applications/${id}/regenerate`), 200)
      c.refused(await send(), 404, 'after it got another key')
    },
  'ACC-521.repeated [applications]: a repeated update of metadata shows the data under the mask': async c => {
    const { call } = await c.application({ permissions: ['token:update'] })
    const { id } = await c.token({ mask: 'X' })
    const options = c.keyed()
    const send = async () =>
      c.success(await call('PATCH', `/tokens/${id}`, { metadata: { a: 'b' } }, options), 200).body.data
    c.equal([await send(), await send()], ['X', 'X'], 'data of both responses')
  },
})

/** Pages of tokens that follow a cursor. */
const cursorWays: Readonly<Record<string, (c: Context, start: object) => ReturnType<Context['asPrivate']>>> =
  {
    list: (c, { start, page }: { start?: string; page?: number }) => {
      const more = `${start === undefined ? '' : `&start=${encodeURIComponent(start)}`}${page ? `&page=${page}` : ''}`
      return c.asPrivate('GET', `/tokens?metadata.run=${c.tag}&size=2${more}`)
    },
    search: (c, start) =>
      c.asPrivate('POST', '/tokens/search', { query: `metadata.run:${c.tag}`, size: 2, ...start }),
  }
const cursorCells = Object.entries(cursorWays).map(
  ([name, ask]): Row => [
    `PAG-542.${name}: the next of a page of a ${name} leads through all tokens`,
    async c => {
      const ids: string[] = []
      for (let n = 0; n < 5; n++) ids.unshift((await c.token({ metadata: { run: c.tag } })).id)
      const page = async (start: object) => c.success(await ask(c, start), 200).body
      await c.settles(async () => (await page({})).pagination.total_items, 5, 'total_items')
      let { data, pagination } = await page({})
      for (const number of [1, 2, 3]) {
        c.equal(
          data.map((one: { id: string }) => one.id),
          ids.slice(number * 2 - 2, number * 2),
          `ids of page ${number}`,
        )
        c.equal([pagination.page_number, pagination.total_items], [number, 5], `pagination of page ${number}`)
        c.equal(typeof pagination.next, number < 3 ? 'string' : 'undefined', `next of page ${number}`)
        if (number === 3) break
        c.refused(await ask(c, { start: pagination.next, page: 2 }), 400, 'with a page number')
        for (const start of [`${pagination.next}x`, 'x'])
          c.refused(await ask(c, { start }), 400, 'another text')
        ;({ data, pagination } = await page({ start: pagination.next }))
      }
    },
  ],
)

/** Reach of sessions, and links of pages. */
export const grantingCases = cases([...cells, ...cursorCells])
