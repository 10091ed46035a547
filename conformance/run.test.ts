import t from 'tap'
import { createVault } from '../server/index.ts'
import type { Target } from './harness/target.ts'
import { cases, run } from './run.ts'

const vault = createVault({ dev: true })
t.teardown(() => vault.close())

async function target(answer: (request: Request) => Promise<Response>): Promise<Target> {
  const { privateKey } = await vault.createTenant()
  return {
    baseUrl: 'http://vault',
    privateKey,
    headerPrefix: 'SVC',
    fetch: (input, init) => answer(new Request(input, init)),
  }
}

async function outcome(answer: (request: Request) => Promise<Response>) {
  const lines: string[] = []
  const verdict = await run(await target(answer), line => lines.push(line))
  return { verdict, failed: lines.filter(line => line.startsWith('not ok')).map(line => line.split(' ')[4]) }
}

t.test('our own server conforms', async t => {
  t.same(await outcome(request => vault.fetch(request)), { verdict: 'conformant', failed: [] })
})

t.test('a server that always says the same thing conforms to nothing', async t => {
  for (const status of [200, 400, 404, 500]) {
    const { verdict, failed } = await outcome(async () => Response.json({}, { status }))
    t.equal(verdict, 'not conformant')
    t.equal(failed.length, cases.length, `all fail on ${status}`)
  }
})

t.test('a server that lies about one thing fails the case for it', async t => {
  const lies: [string, (request: Request) => Promise<Response>][] = [
    [
      'TOK-004.a',
      async request =>
        request.method === 'DELETE' ? new Response(null, { status: 204 }) : vault.fetch(request),
    ],
    [
      'TOK-005.a',
      async request => {
        const response = await vault.fetch(request)
        return response.status === 415 ? Response.json({}, { status: 400 }) : response
      },
    ],
  ]
  for (const [id, lie] of lies) t.ok((await outcome(lie)).failed.includes(id), id)
})

t.test('a server that is not there makes the run invalid', async t => {
  const gone = async () => {
    throw new TypeError('fetch failed')
  }
  t.equal((await outcome(gone)).verdict, 'invalid')
})
