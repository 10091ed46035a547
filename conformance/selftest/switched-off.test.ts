// Only in CI: it runs cases against many servers.
import tap from 'tap'
import { run } from '../src/run.ts'
import { outcomeOf } from '../src/verdict.ts'
import { capabilities, contract, openReference } from './_reference.ts'

tap.setTimeout(900_000)
tap.comment('timeout=900000')

/** Responses of servers that do not have an operation. */
const statuses = [404, 405, 501, 500]

function missing(status: number): Response {
  const headers = { 'Content-Type': 'application/problem+json', 'SVC-TRACE-ID': 'off', Allow: 'GET' }
  return new Response(JSON.stringify({ type: 'about:blank', title: 'off', status }), { status, headers })
}

const operationOf = ({ method, url }: Request) => contract.operationOf(method, new URL(url).pathname)?.id

/** Returns for each operation the ids of the cases that send it. */
async function casesByOperation(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const reference = await openReference()
  tap.teardown(reference.close)
  const { results } = await run(reference.target, {
    ...{ contract, capabilities, profile: 'surrogate', concurrency: 8 },
  })
  const found = new Map<string, Set<string>>()
  for (const { case: one, exchanges } of results) {
    for (const { operation } of exchanges) {
      if (operation === undefined) continue
      found.set(operation, (found.get(operation) ?? new Set()).add(one.id))
    }
  }
  return found
}

/** Runs the cases that need an operation on a server without it, and returns those that pass. */
async function passingWithout(operation: string, status: number, only: readonly string[]): Promise<string[]> {
  const reference = await openReference()
  const { target } = reference
  const fetch = async (request: Request) =>
    operationOf(request) === operation ? missing(status) : target.fetch(request)
  try {
    const { results } = await run(
      { ...target, patienceMs: 200, fetch },
      { contract, capabilities, profile: 'surrogate', concurrency: 8, only },
    )
    const ofProfile = ({ requirement: { profile } }: (typeof results)[number]) => profile
    return results.filter(one => outcomeOf(one, ofProfile(one)) === 'pass').map(one => one.case.id)
  } finally {
    await reference.close()
  }
}

tap.test('no case passes without an operation that it sends', async t => {
  const found = await casesByOperation()
  t.ok(found.size > 30, `${found.size} operations`)
  for (const [at, [operation, ids]] of [...found].entries()) {
    const status = statuses[at % statuses.length] ?? 404
    t.same(await passingWithout(operation, status, [...ids]), [], `${operation} is always ${status}`)
  }
})
