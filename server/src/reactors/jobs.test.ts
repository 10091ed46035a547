import t from 'tap'
import { makeToken, openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { openAuthorized } from '../sessions/_fixture.ts'
import type { Digest, Write } from '../storage/port/port.ts'
import { bodyOf } from '../webhooks/deliver.ts'
import type { Job } from '../webhooks/job.ts'
import type { JobAnswer } from '../webhooks/reaction.ts'
import type { Performer, WebhookParts } from '../webhooks/webhook-parts.ts'

/** Asynchronous invocations: accepted into a list, and performed when a test says so. */
function openJobs(tap: { teardown(task: () => unknown): void }, sandbox?: Sandbox) {
  const accepted: Job[] = []
  let performer: Performer | undefined
  let rooms: Pick<WebhookParts, 'records' | 'tokens' | 'clock'> | undefined
  const vault = openReactors(
    tap,
    {},
    {
      ...(sandbox ? { sandbox } : {}),
      jobs: (...given) => {
        ;[performer, rooms] = given
        return {
          checkCallback: () => {},
          accept: async job => void accepted.push(job),
        }
      },
    },
  )
  const body = async (job: Job, answer: JobAnswer) => {
    if (!rooms) throw new Error('the vault is not open yet')
    return bodyOf(rooms, job, answer)
  }
  /** Resolves with the body of the webhook. */
  const perform = async (receipt: (kept: JobAnswer) => readonly Write[] = () => []) => {
    const job = accepted.shift()
    if (!performer || !job) throw new Error('there is no job')
    return (await body(job, await performer.perform(job, receipt))) as JsonObject
  }
  return { vault, accepted, perform, body }
}

const callback_url = 'https://hooks.example.org/a'
const sum = `module.exports = async req => ({ raw: req.args.secret.length })`

t.test('a job of a session runs with what the session may do when it runs', async t => {
  const { vault, accepted, perform } = openJobs(t)
  const tenant = await openTenant(vault)
  const react = await reactorOn(tenant, sum)
  const token = await makeToken(tenant, { data: 's3cret' })
  const own = await tenant.application({ permissions: ['token:use'] })
  const session = await openAuthorized(tenant, { permissions: ['token:use'] }, own)
  const later = async () => {
    const body = { args: { secret: `{{ ${token} }}` }, callback_url }
    t.equal((await session.send('POST', react.path, body)).status, 202)
    t.match(accepted, [{ session: String }])
  }
  await later()
  t.same(await perform(), { raw: 6 })
  await later()
  const path = `/applications/${own.id}`
  await tenant.asManagement('PUT', path, { name: 'Own', permissions: ['token:read'] })
  t.match(await perform(), { status: 403 }, 'what its authorizer lost it has lost')
  await tenant.asManagement('PUT', path, { name: 'Own', permissions: ['token:use'] })
  await later()
  await vault.clock.advance(3 * 60_000)
  t.match(await perform(), { status: 401 }, 'its time is over')
})

t.test('the answer is kept in the commit of its tokens, and can be told again', async t => {
  const { vault, accepted, perform, body } = openJobs(t)
  const tenant = await openTenant(vault)
  const react = await reactorOn(
    tenant,
    "module.exports = () => ({ raw: 1, tokenize: [{ type: 'token', data: 'x' }, 'y'] })",
  )
  await react({ callback_url })
  const [job] = accepted
  const kept: JobAnswer[] = []
  const answer = await perform(given => {
    kept.push(given)
    return []
  })
  t.match(answer, { raw: 1, tokens: [{ type: 'token', created_at: /Z$/ }, String] })
  t.notMatch(JSON.stringify(kept), 'created_at')
  t.same(await body(job as Job, kept.at(-1) ?? null), answer)
  t.same(await body(job as Job, { type: 'a problem of another' }), { type: 'a problem of another' })
})

t.test('what is kept holds no data, and is told whatever has gone since', async t => {
  const { vault, accepted, perform, body } = openJobs(t)
  const tenant = await openTenant(vault)
  const original = { type: 'token', data: 'original', metadata: { a: 'b' } }
  const existing = await makeToken(tenant, original)
  const code = `module.exports = () => ({ raw: 1, tokenize: {
    new: { type: 'token', data: 's3cret', mask: '{{ data | last4 }}' }, old: ${JSON.stringify({ ...original, deduplicate_token: true })}, bare: 'y' } })`
  const react = await reactorOn(tenant, code)
  // Originals are found where the caller may create.
  const rights = { permissions: ['token:use', 'token:read', 'token:create'] }
  const user = await tenant.application(rights)
  await user('POST', react.path, { callback_url })
  const job = accepted[0] as Job
  const kept: JobAnswer[] = []
  await perform(given => {
    kept.push(given)
    return []
  })
  t.notMatch(JSON.stringify(kept), /s3cret|cret"|"a":"b"/)
  const told = async () => (await body(job, kept.at(-1) ?? null)) as { tokens: JsonObject }
  const { tokens } = await told()
  const made = tokens.new as JsonObject
  t.match(tokens, { new: { data: 'cret' }, old: { id: existing, metadata: { a: 'b' } }, bare: String })

  await tenant.asManagement('DELETE', `/applications/${user.id}`)
  const without = (await told()).tokens
  t.same(without.new, made, 'what it made, masked')
  t.match(without.old, { id: existing })
  t.notOk('metadata' in (without.old as JsonObject), 'of an original nothing that nobody may read')

  for (const id of [made.id, tokens.bare]) await tenant.send('DELETE', `/tokens/${id}`)
  t.match(await told(), { raw: 1, tokens: { new: null, old: { id: existing }, bare: null } })
})

t.test('where the writes beside it do not hold, nothing is made', async t => {
  const { vault, perform } = openJobs(t)
  const tenant = await openTenant(vault)
  const never: Write = {
    type: 'expect',
    kind: 'job',
    tenant: tenant.tenantId,
    id: 'x'.repeat(22) as Digest,
    version: 9,
  }
  for (const code of [
    "module.exports = () => ({ tokenize: 'x' })",
    'module.exports = () => ({ raw: 1 })',
    'module.exports = () => nothing',
  ]) {
    await (await reactorOn(tenant, code))({ callback_url })
    await t.rejects(
      perform(() => [never]),
      { code: 'idempotency_conflict' },
      code,
    )
  }
  t.equal((await tenant.send('GET', '/tokens')).json.pagination.total_items, 0)
})

t.test('rights are asked again when a job runs, and a refusal is what is told', async t => {
  const { vault, perform } = openJobs(t)
  const tenant = await openTenant(vault)
  const react = await reactorOn(tenant, sum)
  const token = await makeToken(tenant, { data: 's3cret' })
  const body = { args: { secret: `{{ ${token} }}` }, callback_url }
  const change = (id: string, permission: string) =>
    tenant.asManagement('PUT', `/applications/${id}`, { name: 'A', permissions: [permission] })
  const rows: [string, (id: string) => Promise<unknown>, status: number][] = [
    ['nothing has changed', async () => {}, 0],
    ['the permission is gone', id => change(id, 'token:read'), 403],
    ['the application is gone', id => tenant.asManagement('DELETE', `/applications/${id}`), 401],
    ['the token is gone', () => tenant.send('DELETE', `/tokens/${token}`), 400],
    ['the reactor is gone', () => tenant.asManagement('DELETE', `/reactors/${react.id}`), 404],
  ]
  for (const [name, happens, status] of rows) {
    const again = name === 'the reactor is gone' ? { callback_url, args: { secret: 'x' } } : body
    const user = await tenant.application({ permissions: ['token:use'] })
    const accepted = await user('POST', react.path, again, { 'SVC-TRACE-ID': name.replaceAll(' ', '-') })
    t.equal(accepted.status, 202, accepted.text)
    await happens(user.id)
    const kept: JobAnswer[] = []
    const told = await perform(given => {
      kept.push(given)
      return []
    })
    if (status === 0) t.same(told, { raw: 6 })
    else {
      t.match(
        told,
        { status, title: String, instance: `urn:surrogate:trace:${name.replaceAll(' ', '-')}` },
        name,
      )
      t.same(kept, [told], 'and is kept')
    }
  }
})

t.test('nothing is started without room', async t => {
  const { vault, perform } = openJobs(t, { run: async () => ({ kind: 'busy' }), close: async () => {} })
  const tenant = await openTenant(vault)
  await (await reactorOn(tenant, sum))({ callback_url, args: { secret: '' } })
  let asked = 0
  const count = () => {
    asked++
    return []
  }
  await t.rejects(perform(count), { name: 'NoRoom' })
  t.equal(asked, 0)
})

t.test('a job that a formula asks for goes no deeper than one it waits for', async t => {
  const { vault, accepted, perform } = openJobs(t)
  const tenant = await openTenant(vault)
  const application = await tenant.application({ permissions: ['token:use'] })
  const code = `module.exports = async ({ svc, args }) => {
    try {
      await svc.reactors.react(args.again, { args, callback_url: '${callback_url}' })
      return { raw: 'asked' }
    } catch (error) { return { raw: error.status } }
  }`
  const react = await reactorOn(tenant, code, { reactor: { application: { id: application.id } } })
  await react({ args: { again: react.id }, callback_url })
  for (const depth of [0, 1, 2]) {
    t.match(accepted, [{ depth, application: String }])
    t.same(await perform(), { raw: depth < 2 ? 'asked' : 400 })
  }
  t.same(accepted, [])
})
