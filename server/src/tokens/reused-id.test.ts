import t from 'tap'
import { openTestStore } from '../../verify/support/storage.ts'
import { replacing } from '../../verify/support/stores.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'

t.test('an update does not mistake a token for a deleted one with its id', async t => {
  const inner = await openTestStore(t)
  let beforeCommit: (() => Promise<unknown>) | undefined
  const store = replacing(inner, {
    commit: async (writes, nowUs) => {
      const isUpdate = writes.some(({ kind, type }) => kind === 'token' && type === 'replace')
      const task = isUpdate ? beforeCommit : undefined
      if (task) beforeCommit = undefined
      await task?.()
      return inner.commit(writes, nowUs)
    },
  })
  const { send } = await openTenant(openVault(t, {}, { openStore: async () => store }))
  const create = (data: string) => send('POST', '/tokens', { id: 'reused', type: 'token', data })
  await create('old')
  beforeCommit = async () => {
    t.equal((await send('DELETE', '/tokens/reused')).status, 204)
    t.equal((await create('new')).status, 201)
  }
  const { status } = await send('PATCH', '/tokens/reused', { metadata: { changed: 'yes' } })
  t.equal(status, 200)
  t.equal(beforeCommit, undefined, 'the id was used again in between')
  const { json } = await send('GET', '/tokens/reused')
  t.equal(json.data, 'new', 'the data of the deleted token do not come back')
  t.same(json.metadata, { changed: 'yes' })
})
