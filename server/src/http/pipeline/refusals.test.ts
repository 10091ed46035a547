import t from 'tap'
import { openTenant, openVault, type Send, type TestTenant } from '../../../verify/support/vault.ts'
import type { JsonObject, JsonValue } from '../../base/json/json.ts'
import { applicationRefusals } from './refusals.applications.cases.ts'
import { bodyRefusals } from './refusals.bodies.cases.ts'
import { type Refusal, type Shot, text } from './refusals.cases.ts'
import { dataRefusals } from './refusals.data.cases.ts'
import { doorRefusals } from './refusals.door.cases.ts'
import { memberRefusals } from './refusals.members.cases.ts'

/**
 * Each row is a refusal and, beside it, a request that differs from it in one thing and succeeds: a refusal
 * for the wrong reason shows in its control. When all rows have run, the tenant holds what the controls made.
 */
const vault = openVault(t)
type Tap = Pick<typeof t, 'ok' | 'notOk' | 'equal' | 'match'>

interface Stage {
  readonly tenant: TestTenant
  readonly limited: Send & { readonly key: string }
  readonly application: string
}

/** The objects that the rows refer to. */
async function setUp(): Promise<Stage> {
  const tenant = await openTenant(vault)
  const everything = ['token:create', 'token:read', 'token:update', 'token:delete']
  const limited = await tenant.application({
    rules: [{ priority: 1, container: '/mine/', transform: 'reveal', permissions: everything }],
  })
  const other = await openTenant(vault)
  await made(other.send, { id: 'theirs', type: 'token', data: 'x' })
  const full = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, 'v']))
  for (const token of [
    { id: 'note', data: 'x' },
    { id: 'full', data: 'x', metadata: full },
    { id: 'to-delete', data: 'x' },
    { id: text(400, 'l'), data: 'x' },
    { id: 'mine', data: 'x', containers: ['/mine/'] },
    { id: 'mine-to-delete', data: 'x', containers: ['/mine/'] },
  ]) {
    await made(tenant.send, { type: 'token', ...token })
  }
  await made(tenant.send, { id: 'card', type: 'card', data: { number: '4242424242424242', cvc: '123' } })
  const { id } = await tenant.application({ permissions: ['token:read'] })
  return { tenant, limited, application: id }
}

async function made(send: Send, body: JsonObject): Promise<void> {
  const reply = await send('POST', '/tokens', body)
  if (reply.status !== 201) throw new Error(reply.text)
}

function keyOf({ tenant, limited }: Stage, who: Shot['as'] = 'private'): string | undefined {
  switch (who) {
    case 'private':
      return tenant.privateKey
    case 'public':
      return tenant.publicKey
    case 'management':
      return tenant.managementKey
    case 'limited':
      return limited.key
    case 'nobody':
      return undefined
    default:
      return who.key.replaceAll('{private}', tenant.privateKey)
  }
}

async function fire(stage: Stage, shot: Shot) {
  const { method, type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' } = shot
  const payload =
    typeof shot.raw === 'object' && !(shot.raw instanceof Uint8Array) ? stream(shot.raw) : shot.raw
  const body = payload ?? (shot.body === undefined ? undefined : JSON.stringify(shot.body))
  const key = keyOf(stage, shot.as)
  // A Uint8Array: with a text as its body a request would get a content type that nobody asked for.
  const bytes = typeof body === 'string' ? Buffer.from(body) : (body as Uint8Array<ArrayBuffer> | undefined)
  const response = await vault.fetch(`http://vault${shot.path.replace('{application}', stage.application)}`, {
    method,
    headers: {
      ...(body === undefined || type === null ? {} : { 'Content-Type': type }),
      ...(key === undefined ? {} : { 'SVC-API-KEY': key }),
      ...shot.headers,
    },
    ...(bytes === undefined ? {} : { body: bytes, duplex: 'half' }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

function stream(pieces: readonly string[]): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(Buffer.from(piece))
      controller.close()
    },
  })
}

/** Values that must not be repeated: what is in a body's data and metadata, and long runs of digits anywhere. */
function* sensitive(shot: Shot): Generator<string> {
  const sent = Buffer.from(
    typeof shot.raw === 'string' || shot.raw instanceof Uint8Array
      ? shot.raw
      : JSON.stringify(shot.raw ?? shot.body ?? ''),
  ).toString()
  yield* sent.match(/\d{8,}/g) ?? []
  const { data, metadata } = (shot.body ?? {}) as { data?: JsonValue; metadata?: JsonValue }
  for (const leaf of [...leaves(data), ...leaves(metadata)]) if (leaf.length > 5) yield leaf
  if (typeof shot.as === 'object' && shot.as.key.length > 5) yield shot.as.key
}

function leaves(value: JsonValue | undefined): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leaves)
  return value === undefined ? [] : [String(value)]
}

interface Holdings {
  readonly tokens: number
  readonly applications: number
}

async function holdings({ tenant }: Stage): Promise<Holdings> {
  const count = async (send: Send, path: string) => (await send('GET', path)).json.pagination.total_items
  return {
    tokens: await count(tenant.send, '/tokens?size=1'),
    applications: await count(tenant.asManagement, '/applications?size=1'),
  }
}

/** The thing that a change names, as it is now. */
async function subject(stage: Stage, { method, path }: Shot): Promise<string | undefined> {
  if (!['PATCH', 'PUT', 'DELETE'].includes(method)) return undefined
  const as = path.startsWith('/tokens') ? 'private' : 'management'
  const { status, text } = await fire(stage, { method: 'GET', path, as })
  return status === 200 ? text : `${status}`
}

const tables = {
  door: doorRefusals,
  bodies: bodyRefusals,
  members: memberRefusals,
  data: dataRefusals,
  applications: applicationRefusals,
}

t.test('every table of refusals is used', async t => {
  const rows = Object.values(tables).flat()
  t.ok(rows.length >= 200, `${rows.length} refusals`)
  t.same(
    rows.filter((row, at) => rows.findIndex(one => one.name === row.name) !== at),
    [],
    'names are unique',
  )
})

for (const [name, rows] of Object.entries(tables)) {
  t.test(`refused: ${name}`, async t => {
    const stage = await setUp()
    const before = await holdings(stage)
    const counts = { tokens: 0, applications: 0 }
    for (const row of rows) await t.test(row.name, async t => refuse(t, stage, row, counts))
    t.same(
      await holdings(stage),
      {
        tokens: before.tokens + counts.tokens,
        applications: before.applications + counts.applications,
      },
      'only the controls have left data behind',
    )
  })
}

async function refuse(t: Tap, stage: Stage, row: Refusal, counts: Record<keyof Holdings, number>) {
  const { refused, control } = row
  const there = await subject(stage, refused)
  const reply = await fire(stage, refused)
  t.equal(reply.status, row.status, reply.text.slice(0, 300))
  if (refused.method !== 'HEAD') {
    const problem = JSON.parse(reply.text)
    t.match(problem, {
      type: `urn:surrogate:error:${row.code}`,
      status: row.status,
      title: String,
      detail: String,
    })
    t.equal(reply.headers.get('content-type'), 'application/problem+json')
    t.equal(problem.instance, `urn:surrogate:trace:${reply.headers.get('svc-trace-id')}`)
    if (row.at === undefined)
      t.notOk(row.status === 400 && row.code === 'validation', 'a validation says where')
    else t.ok(problem.errors?.[row.at]?.length > 0, `${row.at} is named in ${JSON.stringify(problem.errors)}`)
  }
  if (row.allow !== undefined) t.equal(reply.headers.get('allow'), row.allow)
  for (const value of sensitive(refused)) t.notOk(reply.text.includes(value), 'the problem repeats no value')
  t.equal(await subject(stage, refused), there, 'what it was about is as it was')

  const good = await fire(stage, control)
  const accepted = good.status >= 200 && good.status < 300
  t.ok(accepted, accepted ? 'the control is accepted' : `the control: ${good.text}`)
  tally(counts, control, good.status)
}

/** Members that a control adds. */
function tally(counts: Record<keyof Holdings, number>, { method, path }: Shot, status: number): void {
  const [, kind] = path.split('/')
  if (status === 201 && kind === 'tokens') counts.tokens++
  if (status === 201 && kind === 'applications') counts.applications++
  if (method === 'DELETE') counts.tokens--
}
