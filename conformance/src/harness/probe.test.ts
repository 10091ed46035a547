import tap from 'tap'
import { openReference } from '../../selftest/_reference.ts'
import { run } from '../run.ts'
import { probe } from './probe.ts'
import type { Target } from './target.ts'
import { byFetch, type Fetch } from './transport.ts'

/** A wrong setting makes a run invalid, and the reason names it. */
const reference = await openReference()
tap.teardown(reference.close)
const { target, vault } = reference

async function refusalOf(change: Partial<Target>): Promise<string | undefined> {
  const made = await run({ ...target, ...change }, { only: ['DAT-005.a'] })
  return made.invalid
}

tap.test('each key is probed', async t => {
  t.equal(await refusalOf({}), undefined, 'the control')
  for (const [member, setting] of [
    ['privateKey', 'private-key'],
    ['publicKey', 'public-key'],
    ['managementKey', 'management-key'],
    ['maskedKey', 'masked-key'],
    ['redactedKey', 'redacted-key'],
    ['limitedKey', 'limited-key'],
    ['otherPrivateKey', 'other-private-key'],
    ['otherManagementKey', 'other-management-key'],
  ] as const)
    t.match(await refusalOf({ [member]: 'key_that_is_wrong' }), new RegExp(`\\b${setting}\\b`), setting)
})

tap.test('keys that cannot serve their purpose are refused', async t => {
  t.match(await refusalOf({ publicKey: target.privateKey }), /public-key and private-key are the same key/)
  t.match(await refusalOf({ publicKey: target.managementKey }), /refuses public-key/)
  const rule = {
    priority: 1,
    container: '/',
    transform: 'reveal',
    permissions: ['token:read', 'token:create'],
  }
  const created = await vault.fetch(
    new Request('http://vault/applications', {
      method: 'POST',
      headers: { 'SVC-API-KEY': target.managementKey ?? '', 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'another', type: 'private', rules: [rule] }),
    }),
  )
  const { key } = (await created.json()) as { key: string }
  t.match(await refusalOf({ otherPrivateKey: key }), /belongs to the tenant of private-key/)
  t.match(await refusalOf({ limitedKey: key }), /limited-key may list tokens/)
})

tap.test('an endpoint /applications of another shape is not used', async t => {
  const probed = (fetch: Fetch) => probe({ ...target, send: byFetch(fetch) })
  t.ok((await probed(target.fetch)).has('applications'), 'the control')
  const own =
    (body: object): Fetch =>
    async request =>
      new URL(request.url).pathname === '/applications' ? Response.json(body) : target.fetch(request)
  t.notOk((await probed(own({ items: [] }))).has('applications'))
  t.notOk((await probed(own({ id: 'a', key: 'k', policies: [] }))).has('applications'))
})
