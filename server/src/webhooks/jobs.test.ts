import t, { type Test } from 'tap'
import { echo, reactorOn } from '../../verify/support/reactors.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { answering, openQueue } from './_fixture.ts'

/** A tenant whose jobs wait for their next attempt, because the receiver refuses them. */
async function open(t: Test) {
  const vault = openVault(t, { allowPrivateCallbacks: true })
  const tenant = await openTenant(vault)
  let status = 500
  const receiver = await openReceiver(t, () => status)
  const react = await reactorOn(tenant, echo)
  const accept = async () => {
    const { status } = await react({ args: {}, callback_url: `${receiver.origin}/hook?secret=canary` })
    t.equal(status, 202)
    await vault.clock.advance(0)
  }
  return { vault, tenant, receiver, react, accept, recover: () => (status = 200) }
}

t.test('unfinished jobs are listed newest first, and by who requested them', async t => {
  const { vault, tenant, receiver, react, accept, recover } = await open(t)
  await accept()
  await accept()
  const list = async (query = '') => (await tenant.asManagement('GET', `/jobs${query}`)).json
  const { pagination, data } = await list()
  t.equal(pagination.total_items, 2)
  const own = (await tenant.send('GET', '/applications/key')).json.id
  for (const job of data) {
    t.match(job, {
      id: /^msg_/,
      reactor_id: react.id,
      requested_by: own,
      stage: 'delivery',
      failures: 1,
      callback_origin: receiver.origin,
    })
  }
  t.ok(data[0].created_at > data[1].created_at)
  t.notMatch(JSON.stringify(data), /canary/, 'the path and the query of a callback may be secret')
  t.same((await list('?size=1&page=2')).data, [data[1]])
  t.same((await list(`?requested_by=${own}`)).data, data)
  t.same((await list(`?requested_by=${react.id}`)).data, [])
  const other = await openTenant(vault)
  t.same((await other.asManagement('GET', '/jobs')).json.data, [], 'another tenant sees its own')
  recover()
  await vault.clock.advance(3_600_000)
  t.same((await list()).data, [], 'what is delivered is done')
})

t.test('a canceled job is not delivered, and the others are', async t => {
  const { vault, tenant, receiver, accept, recover } = await open(t)
  await accept()
  await accept()
  const [second, first] = (await tenant.asManagement('GET', '/jobs')).json.data
  const cancel = (id: string) => tenant.asManagement('DELETE', `/jobs/${id}`)
  t.equal((await (await openTenant(vault)).asManagement('DELETE', `/jobs/${first.id}`)).status, 404)
  t.equal((await tenant.send('DELETE', `/jobs/${first.id}`)).status, 403, 'management keys only')
  t.equal((await cancel('nothing')).status, 400)
  t.equal((await cancel(first.id)).status, 204)
  t.equal((await cancel(first.id)).status, 404)
  const before = receiver.received.length
  recover()
  await vault.clock.advance(3_600_000)
  t.same(
    receiver.received.slice(before).map(({ headers }) => headers['webhook-id']),
    [second.id],
  )
  const log = await tenant.asManagement('GET', '/logs?entity_type=reactor')
  t.match(
    log.json.data.filter(({ operation }: { operation: string }) => operation === 'job:cancel'),
    [{ outcome: 'success', entity_id: first.reactor_id }],
  )
})

t.test('a job that is canceled while its formula runs commits and delivers nothing', async t => {
  const receiver = await openReceiver(t)
  let go = () => {}
  let begun = () => {}
  const running = new Promise<void>(resolve => {
    begun = resolve
  })
  const { perform } = answering({ raw: 'done' })
  const queue = await openQueue(t, {
    performer: {
      perform: async (...given) => {
        begun()
        await new Promise<void>(resolve => {
          go = resolve
        })
        return perform(...given)
      },
    },
  })
  await queue.accept({ callbackUrl: receiver.origin })
  const advancing = queue.clock.advance(0)
  await running
  const store = await queue.store()
  const { records } = await store.find('job', { op: 'all' }, { nowMs: 0, offset: 0, limit: 1 })
  const { cancelJob } = await import('./jobs.ts')
  const caller = { tenant: store.tenant, application: 'an-application' } as Parameters<typeof cancelJob>[1]
  await cancelJob(queue.context, caller, records[0]?.value.id ?? '')
  go()
  await advancing
  t.equal(receiver.received.length, 0)
  t.same(await queue.left(), [0, 0])
})
