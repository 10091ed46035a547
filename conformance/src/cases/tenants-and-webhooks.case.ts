import { createHmac } from 'node:crypto'
import type { Delivery } from '../harness/callback.ts'
import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import { NotSupported } from '../harness/finding.ts'
import { minute, ssn } from './values.ts'

/** Checks the signature of a delivery by the Standard Webhooks scheme. */
export function expectSigned(c: Context, { headers, text }: Delivery, which: string): void {
  const secret = Buffer.from((c.target.webhookSecret ?? '').replace(/^whsec_/, ''), 'base64')
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
  const expected = `v1,${createHmac('sha256', secret).update(content).digest('base64')}`
  const given = String(headers['webhook-signature'] ?? '').split(' ')
  c.ok(given.includes(expected), `the signature of the ${which} delivery holds`, given)
}

interface Job {
  readonly reactor_id: string
  readonly requested_by: string
  readonly session_id?: string | null
}

/** Borders between tenants, and what webhooks carry. */
export const tenantAndWebhookCases = cases({
  'SES-017.a: a private application of another tenant cannot give a session access': async c => {
    if ((await c.token()).tenant_id === (await c.token({}, c.asOther)).tenant_id)
      throw new NotSupported('second-tenant')
    const { nonce, session_key } = await c.session()
    const body = { nonce, permissions: ['token:create'] }
    const other = await c.asOther('POST', '/sessions/authorize', body)
    c.surrogate(() => c.refused(other, 404, 'the other tenant'))
    const create = () =>
      c.as(session_key)('POST', '/tokens', { type: 'token', data: 1, containers: [c.container] })
    c.refused(await create(), 403, 'the session afterwards')
    // The specification does not say that the nonce stays usable.
    const own = await c.asPrivate('POST', '/sessions/authorize', body)
    c.surrogate(() => c.success(own, 200, 'its own tenant'))
    const usable = own.status < 300 ? await create() : undefined
    if (usable) c.success(usable, 201, 'the session then')
  },
  'TOK-543.a: a create with deduplication does not find the token of another tenant': async c => {
    const foreign = await c.token({}, c.asOther)
    const body = { type: 'token', data: c.tag, containers: [c.container], deduplicate_token: true }
    const first = c.success(await c.asPrivate('POST', '/tokens', body), 201).body
    c.ok(
      first.id !== foreign.id && first.tenant_id !== foreign.tenant_id,
      'it is a token of its own',
      foreign.id,
    )
    const second = c.success(await c.asPrivate('POST', '/tokens', body), 200).body
    c.equal(second.id, first.id, 'the control: id of the same create again')
  },
  'TOK-543.b: a create with deduplication does not find a deleted token': async c => {
    const { id } = await c.token()
    c.success(await c.asPrivate('DELETE', `/tokens/${id}`), 204)
    const body = { type: 'token', data: c.tag, containers: [c.container], deduplicate_token: true }
    const made = c.success(await c.asPrivate('POST', '/tokens', body), 201).body
    c.ok(made.id !== id, 'it is another token', made.id)
  },
  'TOK-543.c: a create with deduplication does not find a token of another type': async c => {
    const data = `${Math.floor(Math.random() * 1e15)}`.padStart(16, '7')
    const make = (type: string, more: object = {}) =>
      c.asPrivate('POST', '/tokens', { type, data, fingerprint_expression: '{{ data }}', ...more })
    const first = c.success(await make('us_bank_account_number'), 201).body
    const again = { deduplicate_token: true }
    const other = c.success(await make('token', again), 201).body
    c.ok(other.id !== first.id, 'the one of type token is another', other.id)
    const control = c.success(await make('us_bank_account_number', again), 200).body
    c.equal(control.id, first.id, 'the control: the same type')
  },
  'SEA-542.a: a token created with an empty list of indexes is not found by its data': async c => {
    const members = { type: 'social_security_number', data: ssn }
    const usual = await c.token(members)
    await c.token({ ...members, search_indexes: [] })
    c.equal(await c.found('data:1120'), [usual.id], 'what is found')
  },
  'INV-540.a: a repeated delivery is signed like the first': async c => {
    const reactor = await c.reactor({ code: 'module.exports = async req => ({ raw: req.args })' })
    const box = (await c.inbox()).open([500, 500])
    c.success(await c.react(reactor, { args: { tag: c.tag }, callback_url: box.url }), 202)
    const third = await c.eventually(async () => {
      if (box.deliveries.length > 0 && box.deliveries.length < 3) await c.advance(20 * minute)
      return box.deliveries[2]
    }, 'the third delivery')
    for (const [index, delivery] of box.deliveries.entries()) {
      expectSigned(c, delivery, ['first', 'second', 'third'][index] ?? 'last')
      c.equal(delivery.text, third.text, 'body of each')
    }
  },
  'INV-546.a: a job whose delivery fails is listed, without the secrets of its callback, until it is delivered':
    async c => {
      const reactor = await c.reactor({ code: 'module.exports = async () => ({ raw: 1 })' })
      const { box } = await c.delivered(reactor, {}, [500, 500])
      const listed = async () => {
        const page = await c.get('/jobs?size=100')
        return page.data.find((job: { reactor_id: string }) => job.reactor_id === reactor.id)
      }
      const job = await c.eventually(
        async () => ((await listed())?.failures === 1 ? listed() : undefined),
        'the job',
      )
      c.equal(job.stage, 'delivery', 'stage')
      const { origin, pathname } = new URL(box.url)
      c.equal(job.callback_origin, origin, 'callback_origin')
      c.ok(!JSON.stringify(job).includes(pathname), 'the path of the callback URL is not shown', job)
      await c.eventually(async () => {
        if ((await listed())?.failures === 1) await c.advance(minute)
        return (await listed())?.failures === 2 ? true : undefined
      }, 'the second failure')
      c.refused(await c.asPrivate('GET', '/jobs'), 403)
      c.refused(await c.as(undefined)('GET', '/jobs'), 401)
      await c.eventually(async () => {
        await c.advance(20 * minute)
        return (await listed()) === undefined ? true : undefined
      }, 'the end of the job')
    },
  'INV-546.b [public]: a list of jobs shows the newest first, each with its reactor, application and session':
    async c => {
      const { call: session } = await c.authorized({ permissions: ['token:use'] })
      const { id, call: other } = await c.application({ permissions: ['token:use'] })
      const code = 'module.exports = async () => ({ raw: 1 })'
      const reactors = [await c.reactor({ code }), await c.reactor({ code })] as const
      await c.delivered(reactors[0], {}, [500], session)
      await c.advance(1_000)
      await c.delivered(reactors[1], {}, [500], other)
      const page = await c.get('/jobs?size=100')
      const jobs = page.data.filter((job: Job) => reactors.some(one => one.id === job.reactor_id))
      const expected = [reactors[1].id, reactors[0].id]
      c.equal(
        jobs.map((job: Job) => job.reactor_id),
        expected,
        'the order',
      )
      c.equal(jobs[0]?.requested_by, id, 'requested_by of the other application')
      c.ok(
        jobs[1]?.requested_by !== id,
        'it was not requested by the application that granted the session',
        jobs[1]?.requested_by,
      )
      c.equal(
        jobs.map((job: Job) => typeof (job.session_id ?? undefined)),
        ['undefined', 'string'],
        'session_id',
      )
      const { total_items, total_pages } = page.pagination
      c.equal(total_pages, Math.ceil(total_items / 100), 'total_pages')
    },
  'INV-547.a: a canceled job is gone, and is not delivered': async c => {
    const reactor = await c.reactor({ code: 'module.exports = async () => ({ raw: 1 })' })
    const { box, first } = await c.delivered(reactor, {}, [500])
    const path = `/jobs/${first.headers['webhook-id']}`
    c.refused(await c.asPrivate('DELETE', path), 403)
    c.refused(await c.as(undefined)('DELETE', path), 401)
    c.refused(await c.asManagement('DELETE', '/jobs/another-id'), 400)
    c.success(await c.asManagement('DELETE', path), 204)
    c.refused(await c.asManagement('DELETE', path), 404)
    await c.advance(60 * minute)
    c.equal(box.deliveries.length, 1, 'attempts')
  },
  'INV-541.a: the webhook of a formula that fails contains its errors': async c => {
    const code = `const { BadRequestError } = require('@surrogate/formula-errors')
        module.exports = async () => { throw new BadRequestError({ amount: ['is too high'] }) }`
    const reactor = await c.reactor({ code })
    const { first } = await c.delivered(reactor)
    const { status, errors } = JSON.parse(first.text)
    c.equal([status, errors], [400, { amount: ['is too high'] }], 'status and errors')
  },
  'ACC-543.a: the description of a rule is kept': async c => {
    const rule = { priority: 1, container: '/a/', transform: 'mask', permissions: ['token:read'] }
    const { id } = await c.application({ rules: [{ ...rule, description: 'Support staff' }] })
    const { rules } = await c.get(`/applications/${id}`)
    c.equal(rules[0]?.description, 'Support staff', 'description')
  },
  'ACC-544.a: a condition on a container that equals covers no container below it, one that starts with it does':
    async c => {
      const below = await c.token({ containers: [`${c.container}a/`], mask: 'X' })
      const exact = await c.token({ mask: 'X' })
      const seen = async (operator: string, id: string) => {
        const conditions = [{ attribute: 'container', operator, value: c.container }]
        const rules = [{ priority: 1, conditions, transform: 'mask', permissions: ['token:read'] }]
        return (await c.application({ rules })).call('GET', `/tokens/${id}`)
      }
      c.success(await seen('equals', exact.id), 200, 'equals, in it')
      c.refused(await seen('equals', below.id), 403, 'equals, below it')
      c.success(await seen('starts_with', below.id), 200, 'starts with, below it')
    },
})
