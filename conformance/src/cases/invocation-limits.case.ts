import { cases } from '../harness/case.ts'
import { NotSupported } from '../harness/finding.ts'
import { allTokenPermissions } from './values.ts'

const code = 'module.exports = async function (req) { return { raw: req.args } }'

/** Specification, sections 4.4, 6 and 8: who may invoke, limits, and asynchronous invocation. */
export const invocationLimitCases = cases({
  'INV-003.a: a caller with all rights except token:use may not invoke': async c => {
    const reactor = await c.reactor({ code })
    const using = await c.ruled('mask', ['token:use'])
    const other = await c.ruled(
      'reveal',
      allTokenPermissions.filter(name => name !== 'token:use'),
    )
    await c.refuses(403, one => c.react(reactor, { args: {} }, one.call), using, {
      'all but token:use': other,
    })
  },
  'INV-004.a: a caller may detokenize only in containers in which it has token:use': async c => {
    const reactor = await c.reactor({ code })
    const { call } = await c.ruled('mask', ['token:use'], `${c.container}in/`)
    const inside = await c.token({ containers: [`${c.container}in/`], data: 'in' })
    const outside = await c.token({ containers: [`${c.container}out/`], data: 'out' })
    const both = await c.token({ containers: [`${c.container}in/`, `${c.container}out/`], data: 'both' })
    const invoke = (id: string) => c.react(reactor, { args: { v: `{{ ${id} }}` } }, call)
    await c.refuses(403, invoke, inside.id, { 'a token outside': outside.id, 'a token in both': both.id })
  },
  'INV-005.a: a body over 5 MB is refused, one of 4 MB accepted': async c => {
    const reactor = await c.reactor({
      code: 'module.exports = async req => ({ raw: { n: req.args.v.length } })',
    })
    const megabytes = (n: number) => ({ args: { v: 'x'.repeat(n * 1024 * 1024) } })
    const send = (body: unknown) => c.oversized(options => c.react(reactor, body, c.asPrivate, options))
    await c.refuses(413, send, megabytes(4), { '6 MB': megabytes(6) })
  },
  'INV-019.a: without an application the formula gets null as its client': async c => {
    const code = 'module.exports = async req => ({ raw: { none: req.svc === null } })'
    c.equal(await c.ran({ code }, {}), { none: true }, 'raw')
  },
  'INV-020.a: with an application the formula gets a client': async c => {
    const { id } = await c.ruled('mask', ['token:read'])
    const code = 'module.exports = async req => ({ raw: { none: req.svc === null, type: typeof req.svc } })'
    const reactor = await c.reactor({ code }, { application: { id } })
    const { raw } = c.success(await c.react(reactor, { args: {} }), 200).body ?? {}
    c.ok(raw?.none === false && raw.type !== 'undefined', 'the client is there', raw)
  },
  'INV-501.a: the client can read what the application of the reactor may read, and no more': async c => {
    const { id } = await c.ruled('mask', ['token:read'])
    const token = await c.token({ data: { number: c.tag }, mask: { number: 'masked' } })
    const code = `module.exports = async req => {
        const token = await req.svc.tokens.get(req.args.id)
        const refused = await req.svc.tokens.delete(req.args.id).then(() => 0, error => error.status)
        return { raw: { data: token.data, refused } }
      }`
    const reactor = await c.reactor({ code }, { application: { id } })
    const { raw } = c.success(await c.react(reactor, { args: { id: token.id } }), 200).body ?? {}
    c.equal(raw, { data: { number: 'masked' }, refused: 403 }, 'raw')
  },
  'INV-022.a: the result of an asynchronous invocation arrives at the callback URL': async c => {
    const reactor = await c.reactor({ code })
    const { reply, first } = await c.delivered(reactor, { a: c.tag })
    c.surrogate(() => c.ok(!reply.text.includes(c.tag), 'the result is not in the answer', reply.text))
    c.ok(first.text.includes(c.tag), 'the result is in the webhook', first.text)
  },
  'INV-023.a [callbacks]: a timeout below 10000 or above 210000 is refused': async c => {
    const reactor = await c.reactor({ code })
    const { url } = (await c.inbox()).open()
    const send = (timeout_ms: number) => c.react(reactor, { args: {}, callback_url: url, timeout_ms })
    c.success(await send(210_000), 202, 'the greatest timeout')
    await c.refuses(400, send, 10_000, { 'one less': 9_999, 'one more than the greatest': 210_001 })
  },
  'INV-023.b [callbacks, first]: a formula that waits longer than 10 s delivers its result if its timeout is longer':
    async c => {
      const waitMs = 10_500
      const code = `module.exports = async req => {
        const { raw } = await new Promise(done => setTimeout(done, ${waitMs}, { raw: req.args }))
        return { raw }
      }`
      const reactor = await c.reactor({ code })
      const box = (await c.inbox()).open()
      const body = { args: { a: c.tag }, callback_url: box.url, timeout_ms: 60_000 }
      c.success(await c.react(reactor, body), 202)
      const withinMs = waitMs + c.target.patienceMs
      const delivery = await c.eventually(
        async () => box.deliveries[0],
        'the delivery of the result',
        withinMs,
      )
      c.ok(delivery.text.includes(c.tag), 'the result is in the webhook', delivery.text)
    },
  'INV-024.a: a timeout in a synchronous invocation is refused': async c => {
    const reactor = await c.reactor({ code })
    await c.refuses<object>(
      400,
      body => c.react(reactor, body),
      { args: {} },
      {
        'a timeout': { args: {}, timeout_ms: 20_000 },
      },
    )
  },
  'AUT-012.a: another tenant can neither invoke the reactor nor use its own tokens in it': async c => {
    const reactor = await c.reactor({ code })
    await c.refuses(404, call => c.react(reactor, { args: {} }, call), c.asPrivate, {
      'another tenant': c.asOther,
    })
    const own = await c.token()
    const foreign = await c.token({ data: `foreign ${c.tag}` }, c.asOther)
    const invoke = (id: string) => c.react(reactor, { args: { v: `{{ ${id} }}` } })
    if (own.tenant_id === foreign.tenant_id) throw new NotSupported('second-tenant')
    c.success(await invoke(own.id), 200, 'a token of its own')
    const reply = await invoke(foreign.id)
    c.ok(!reply.text.includes(`foreign ${c.tag}`), 'the data of another tenant is not shown', reply.text)
    c.surrogate(() => c.refused(reply, 400, 'a token of another tenant'))
  },
})
