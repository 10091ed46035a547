import fc from 'fast-check'
import t, { type Test } from 'tap'
import { testStorage } from '../../verify/support/storage.ts'
import { openVault, sender } from '../../verify/support/vault.ts'
import { file, ids, keys, masterKey, otherId, tenantId } from '../access/bootstrap.cases.ts'
import type { JsonObject, JsonValue } from '../base/json/json.ts'
import { BootstrapError } from '../index.ts'
import { rootTenant } from '../storage/keys/keyring.ts'
import { openStore } from '../storage/open.ts'
import { type Engine, StoreUnavailable } from '../storage/port/port.ts'
import { documentsIn } from '../storage/transfer/walk.ts'
import type { Vault } from '../vault.ts'

/** A vault, what its store holds, and a way to let another writer come between. */
function open(t: Pick<Test, 'teardown'>, bootstrap?: JsonValue) {
  const own = testStorage(t)
  let store: Engine | undefined
  const before: Record<'commit' | 'key', (() => Promise<unknown>) | undefined> = {
    commit: undefined,
    key: undefined,
  }
  const interfere = async (at: keyof typeof before) => {
    const act = before[at]
    before[at] = undefined
    await act?.()
  }
  const vault = openVault(
    t,
    { ...own?.options, ...(bootstrap === undefined ? {} : { bootstrap }) },
    {
      ...own?.parts,
      openStore: async (location, options) => {
        const opened = await (own?.parts?.openStore ?? openStore)(location, options)
        store = opened
        const [commit, get] = [opened.commit.bind(opened), opened.get.bind(opened)]
        return Object.assign(opened, {
          commit: async (...given: Parameters<Engine['commit']>) => {
            await interfere('commit')
            return commit(...given)
          },
          get: async (...given: Parameters<Engine['get']>) => {
            if (given[0] === 'key') await interfere('key')
            return get(...given)
          },
        })
      },
    },
  )
  const dump = async () => {
    await vault.ready()
    if (!store) throw new Error('there is no store')
    const found: string[] = []
    for await (const { kind, tenant, documents } of documentsIn(store)()) {
      // The time, which is kept now and then.
      if (kind === 'setting' && tenant === rootTenant) continue
      for (const { id, version, box } of documents)
        found.push(`${kind} ${tenant} ${id} ${version} ${Buffer.from(box).toString('base64')}`)
    }
    return found.sort()
  }
  const beforeNext = (at: keyof typeof before, act: () => Promise<unknown>) => {
    before[at] = act
  }
  return { vault, dump, beforeNext, as: (key: string) => sender(vault, key) }
}

const permissions = ['token:read', 'token:create']
const application = (id: string, key: string, more: JsonObject = {}) => ({
  ...{ id, key, name: 'A', type: 'private', permissions, ...more },
})
const [first, second, third] = [ids.management, ids.private, ids.other]
const [a, b, c] = [keys.management, keys.private, keys.other]

async function holderOf(vault: Vault, key: string): Promise<string | undefined> {
  return (await sender(vault, key)('GET', '/applications/key')).json?.id
}

t.test('one application removed and two keys swapped is one change', async t => {
  const { vault } = open(t, file([application(first, a), application(second, b), application(third, c)]))
  t.equal(await holderOf(vault, a), first)
  await vault.reload(file([{ id: third, removed: true }, application(first, b), application(second, a)]))
  t.same(await Promise.all([a, b, c].map(key => holderOf(vault, key))), [second, first, undefined])
})

t.test('keys go round, and to applications of other tenants, which come before', async t => {
  const { vault } = open(t, file([application(first, a), application(second, b)]))
  await vault.reload({
    tenants: [
      { id: otherId, applications: [application(third, a)] },
      { id: tenantId, applications: [application(first, b), application(second, c)] },
    ],
  })
  t.same(await Promise.all([a, b, c].map(key => holderOf(vault, key))), [third, first, second])
})

t.test('a refused file changes nothing, wherever the reason stands', async t => {
  const { vault, dump, as } = open(t, {
    tenants: [
      {
        id: tenantId,
        applications: [
          application(first, a),
          application(second, b),
          application('00000000-0000-4000-8000-000000000009', 'the-key-of-management', {
            type: 'management',
            permissions: ['application:create', 'application:update'],
          }),
        ],
        tokens: [{ id: 'there', type: 'token', data: 1 }],
      },
    ],
  })
  const asManagement = as('the-key-of-management')
  const made = await asManagement('POST', '/applications', { name: 'M', type: 'private', permissions })
  const more = await asManagement('POST', `/applications/${second}/keys`)
  t.equal(more.status, 201)
  const change = [{ id: first, removed: true }, application(second, b, { name: 'Changed' })]
  const others = { id: otherId, name: 'New', applications: [application(third, c)] }
  const formula = { id: first, name: 'F', type: 'private', code: 'module.exports = async () => ({})' }
  const tenants = (applications: readonly JsonObject[], more: JsonObject = {}): JsonValue => ({
    tenants: [others, { id: tenantId, applications: [...change, ...applications], ...more }],
  })
  const fresh = (key: string) => application('00000000-0000-4000-8000-000000000004', key)
  for (const [why, refused] of [
    ['the key of an application that the file does not name', tenants([fresh(made.json.key)])],
    ['the second key of one that it names and that keeps it', tenants([fresh(more.json.key)])],
    ['a name that is not a text', tenants([{ ...fresh('a-key-of-its-own-1'), name: 1 }])],
    ['an application twice', tenants([application(first, 'a-key-of-its-own-1')])],
    [
      'a reactor without its formula',
      tenants([], { reactors: [{ id: first, name: 'R', formula: { id: second } }] }),
    ],
    [
      'an official formula of a tenant of no operator',
      tenants([], { formulas: [{ ...formula, type: 'official' }] }),
    ],
    [
      'an expression',
      tenants([], {
        formulas: [formula],
        tokens: [
          { id: 'a', type: 'token', data: 1 },
          { id: 'b', type: 'token', data: 1, mask: '{{ data | none }}' },
        ],
      }),
    ],
    [
      'a duplicate in the file',
      tenants([], {
        tokens: ['a', 'b'].map(id => ({
          id,
          type: 'token',
          data: 1,
          fingerprint: 'x',
          deduplicate_token: true,
        })),
      }),
    ],
  ] as const) {
    const before = await dump()
    await t.rejects(vault.reload(refused as JsonValue), { name: 'BootstrapError' }, why)
    t.same(await dump(), before, why)
    t.equal(await holderOf(vault, a), first)
  }
  const before = await dump()
  await vault.reload(tenants([fresh('a-key-of-its-own-1')], { formulas: [formula] }))
  t.not((await dump()).length, before.length, 'the control')
  t.same(await Promise.all([a, b, c].map(key => holderOf(vault, key))), [undefined, second, third])
})

t.test('a start that refuses its file leaves an empty store', async t => {
  const kept = { storage: `level:${t.testdir({})}`, masterKey, dev: false }
  const reactors = [{ id: first, name: 'R', formula: { id: second } }]
  const refused = openVault(t, { ...kept, bootstrap: file([application(first, a)], { reactors }) })
  await t.rejects(refused.ready(), { name: 'BootstrapError', message: /existing formula/ })
  await refused.close()
  const { vault } = open(t, file([application(first, a)]))
  await vault.ready()
  const again = openVault(t, kept)
  await again.ready()
  t.equal(await holderOf(again, a), undefined)
  t.equal(await holderOf(vault, a), first, 'control')
})

t.test('another server applies the same file at the same time', async t => {
  const { vault, beforeNext } = open(t)
  const same = file([application(first, a), application(second, b)])
  await vault.ready()
  beforeNext('key', () => vault.reload(same))
  await vault.reload(same)
  t.same(await Promise.all([a, b].map(key => holderOf(vault, key))), [first, second])
  const swapped = file([application(first, b), application(second, a)])
  beforeNext('key', () => vault.reload(swapped))
  await vault.reload(swapped)
  t.same(await Promise.all([a, b].map(key => holderOf(vault, key))), [second, first])
})

t.test('a writer that comes between is seen, and one commit that fails changes nothing', async t => {
  const { vault, dump, beforeNext, as } = open(t, file([application(first, a), application(second, b)]))
  await vault.ready()
  beforeNext('commit', () => vault.reload(file([application(third, c)])))
  await vault.reload(file([application(first, a, { name: 'Renamed' })]))
  t.same(await Promise.all([a, b, c].map(key => holderOf(vault, key))), [first, second, third])
  beforeNext('commit', () => vault.reload(file([application(third, 'another-key-000001')])))
  await t.rejects(vault.reload(file([application(second, 'another-key-000001')])), { name: 'BootstrapError' })
  t.equal(await holderOf(vault, 'another-key-000001'), third)
  t.equal(await holderOf(vault, b), second)
  const before = await dump()
  beforeNext('commit', () => Promise.reject(new StoreUnavailable('cut off')))
  await t.rejects(
    vault.reload(
      file([
        { id: first, removed: true },
        { id: second, removed: true },
      ]),
    ),
    StoreUnavailable,
  )
  t.same(await dump(), before)
  t.equal((await as(a)('GET', '/tokens')).status, 200)
})

t.test('where others are always faster, it is given up, and nothing is changed', async t => {
  const named = (name: string) => file([application(first, a, { name })])
  const { vault, beforeNext, as } = open(t, named('A'))
  await vault.ready()
  let attempts = 0
  const overtake = async () => {
    await vault.reload(named(`Other ${++attempts}`))
    if (attempts < 10) beforeNext('commit', overtake)
  }
  beforeNext('commit', overtake)
  await t.rejects(vault.reload(named('Mine')), { name: 'StoreUnavailable', message: /try again$/ })
  t.equal((await as(a)('GET', '/applications/key')).json.name, 'Other 10')
})

const someKeys = [a, b, c, 'a-key-of-the-file-4', 'a-key-of-the-file-5']
const someIds = [first, second, third, '00000000-0000-4000-8000-000000000004']
const oneApplication = fc.record({
  key: fc.constantFrom(...someKeys),
  name: fc.constantFrom('A', 'B'),
  type: fc.constantFrom('private', 'public', 'management'),
  removed: fc.boolean(),
  permissions: fc.constantFrom(['token:create'], ['log:read'], []),
})
const oneFile = fc
  .tuple(
    fc.uniqueArray(
      fc.tuple(fc.constantFrom(...someIds), fc.constantFrom(tenantId, otherId), oneApplication),
      { selector: ([id]) => id, maxLength: 4 },
    ),
    fc.constantFrom(
      {},
      { reactors: [{ id: first, name: 'R', formula: { id: second } }] },
      { tokens: [{ id: 'a', type: 'token', data: 1 }] },
    ),
  )
  .map(([applications, more]) => ({
    tenants: [tenantId, otherId].map(tenant => ({
      id: tenant,
      applications: applications
        .filter(([, own]) => own === tenant)
        .map(([id, , content]) => ({ id, ...content })),
      ...(tenant === otherId ? more : {}),
    })),
  }))

t.test('whatever the file and what is there: it is applied as it says, or nothing is changed', async t => {
  let [applied, refused] = [0, 0]
  const property = fc.asyncProperty(fc.array(oneFile, { minLength: 2, maxLength: 4 }), async files => {
    const tasks: (() => unknown)[] = []
    const { vault, dump } = open({ teardown: task => tasks.unshift(task) } as Pick<Test, 'teardown'>)
    const homes = new Map<string, Set<string>>()
    try {
      for (const one of files as unknown as JsonValue[]) {
        const before = await dump()
        const error: unknown = await vault.reload(one).catch(error => error)
        if (error !== undefined && !(error instanceof BootstrapError)) throw error
        const after = await dump()
        if (error) {
          refused++
          if (after.join() !== before.join()) throw new Error('a refused file changed something')
          continue
        }
        applied++
        const { tenants } = one as unknown as {
          tenants: { id: string; applications: { id: string; key: string; removed: boolean }[] }[]
        }
        for (const { id: tenant, applications } of tenants) {
          for (const { id, key, removed } of applications) {
            const home = homes.get(id) ?? new Set()
            if (!removed) homes.set(id, home.add(tenant))
            // A tenant may have an application of the same id as one that another tenant keeps.
            const isElsewhere = [...home].some(one => one !== tenant)
            const holder = await holderOf(vault, key)
            if (removed ? holder === id && !isElsewhere : holder !== id)
              throw new Error(`${key} belongs to ${holder}, not ${id}`)
          }
        }
        const settled = await dump()
        await vault.reload(one)
        if ((await dump()).join() !== settled.join()) throw new Error('the same file again changed something')
      }
    } finally {
      for (const task of tasks) await task()
    }
  })
  const sameInBoth = [otherId, tenantId].map(own => ({
    tenants: [tenantId, otherId].map(tenant => ({
      id: tenant,
      applications: tenant === own ? [application(first, a)] : [],
    })),
  }))
  await fc.assert(property, { numRuns: 60, examples: [[sameInBoth as never]] })
  t.ok(applied > 10 && refused > 10, `${applied} applied, ${refused} refused`)
})
