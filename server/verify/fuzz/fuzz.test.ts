// In a process of its own: it takes long.
import fc from 'fast-check'
import t from 'tap'
import { createLog } from '../../src/base/log.ts'
import { openReactors } from '../support/reactors.ts'
import { openTenant, type Reply, type TestTenant } from '../support/vault.ts'
import { encoded, type FuzzRequest, type Prepared, prepared, requests } from './requests.ts'
import { marker, writeJson } from './texts.ts'

/**
 * Sends requests made from the contract. The vault runs with `dev`, so that a response that violates the contract is a
 * 500. `npm run verify -- fuzz` sends more, of a random seed, which it prints with the smallest request that fails.
 */
const numRuns = Number(process.env.SURROGATE_FUZZ_COUNT ?? 150)
const seed = Number(process.env.SURROGATE_FUZZ_SEED ?? 1)

const newToken = { type: 'token', data: { a: 1, b: ['x', null] }, metadata: { k: 'v' } }
const newApplication = { name: 'A', type: 'private', permissions: ['token:read'] }
const newFormula = {
  name: 'F',
  type: 'private',
  code: 'module.exports = async ({ args }) => ({ raw: args })',
}

/** Makes a record that requests name. */
async function prepare(tenant: TestTenant, name: Prepared): Promise<string> {
  const { send, asManagement, asPublic } = tenant
  const idOf = async (made: Promise<Reply>): Promise<string> => (await made).json.id
  switch (name) {
    case 'token':
      return idOf(send('POST', '/tokens', newToken))
    case 'formula':
      return idOf(asManagement('POST', '/reactor-formulas', newFormula))
    case 'reactor': {
      const formula = { id: await prepare(tenant, 'formula') }
      return idOf(asManagement('POST', '/reactors', { name: 'R', formula, configuration: {} }))
    }
    case 'application':
      return idOf(asManagement('POST', '/applications', newApplication))
    case 'nonce':
      return (await asPublic('POST', '/sessions')).json.nonce
  }
}

/** Replaces the names of prepared records in a text by their ids. */
async function fill(tenant: TestTenant, text: string): Promise<string> {
  let filled = text
  for (const name of prepared)
    if (filled.includes(`@${name}@`)) filled = filled.replaceAll(`@${name}@`, await prepare(tenant, name))
  return filled
}

async function perform(tenant: TestTenant, request: FuzzRequest): Promise<Reply> {
  const { operation, query, body, idempotencyKey } = request
  const types = operation.applicationTypes
  const send =
    types.includes('private') || types.length === 0
      ? tenant.send
      : types.includes('public')
        ? tenant.asPublic
        : tenant.asManagement
  const search = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')
  return send(
    operation.method,
    (await fill(tenant, request.path)) + (search && `?${search}`),
    body === undefined ? undefined : { raw: await fill(tenant, writeJson(body)) },
    idempotencyKey === undefined ? {} : { 'SVC-IDEMPOTENCY-KEY': idempotencyKey },
  )
}

/** Returns what is wrong with a response, or undefined. */
function faultOf({ operation }: FuzzRequest, { status, headers, text }: Reply): string | undefined {
  const isFormulas = operation.id === 'reactors.react' && /reactor_runtime/.test(text)
  if (status >= 500 && !isFormulas) return `status ${status}`
  if (status >= 400 && headers.get('content-type') !== 'application/problem+json')
    return `${status} without a problem`
  if (status >= 400 && text.includes(marker)) return 'a sensitive value is in a problem'
  return headers.get('cache-control') === 'no-store' ? undefined : 'the response may be cached'
}

for (const mode of ['strict', 'loose', 'odd'] as const) {
  t.test(`${mode} values get a response that the contract names, and reveal nothing`, async t => {
    let log = ''
    const vault = openReactors(t, { log: createLog(line => (log += line), 'warn') })
    const tenant = await openTenant(vault)
    const statuses: number[] = []
    await fc.assert(
      fc.asyncProperty(requests(mode), async request => {
        const reply = await perform(tenant, request)
        statuses.push(reply.status)
        const fault = faultOf(request, reply)
        if (fault) throw new Error(`${request.operation.id}: ${fault}: ${reply.text.slice(0, 600)}`)
      }),
      { numRuns, seed },
    )
    t.notOk(log.includes(marker), 'no sensitive value is in the log')
    const accepted = statuses.filter(status => status < 300).length
    const refused = statuses.filter(status => status >= 400).length
    if (mode === 'strict') t.ok(accepted > statuses.length / 2, `${accepted} of ${statuses.length} accepted`)
    else t.ok(refused > statuses.length / 10, `${refused} of ${statuses.length} refused`)
  })
}
