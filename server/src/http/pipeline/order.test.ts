import t from 'tap'
import { echo, openReactors, reactorOn } from '../../../verify/support/reactors.ts'
import { openTenant, type TestTenant } from '../../../verify/support/vault.ts'

/**
 * The order of checks. A request can be wrong in several ways at once; which of them is reported is part of the
 * contract. Each ladder below is a request with a fault for each step: any two neighbouring faults together,
 * and each fault with all that come after it, answer as the earlier one.
 */
const vault = openReactors(t)
const limit = 1024 * 1024

interface Ladder {
  /** In the order in which they are checked, with the status of each. */
  readonly faults: readonly (readonly [fault: string, status: number, code: string])[]
  readonly success: number
  /** The request with these faults. Only `fetch` is left to do. */
  request(faults: ReadonlySet<string>): { readonly path: string; readonly init: RequestInit }
}

/** Two applications that may do everything below /mine/, one of them over; two of another kind, likewise. */
async function callers(tenant: TestTenant, kind: string, other: object) {
  const { key: right } = await tenant.application({
    rules: [
      {
        priority: 1,
        container: '/mine/',
        transform: 'mask',
        permissions: ['token:create', 'token:update', 'token:use'],
      },
    ],
  })
  const soon = new Date((await vault.clock.now()) + 1000).toISOString()
  const { key: wrong } = await tenant.application(other as never, kind)
  const { key: over } = await tenant.application({
    permissions: ['token:read', 'token:create'],
    expires_at: soon,
  } as never)
  const { key: overAndWrong } = await tenant.application({ ...other, expires_at: soon } as never, kind)
  await vault.clock.advance(1000)
  return (faults: ReadonlySet<string>) => {
    if (faults.has('key')) return faults.has('right') ? overAndWrong : over
    return faults.has('right') ? wrong : right
  }
}

function init(
  faults: ReadonlySet<string>,
  method: string,
  key: string,
  type: string,
  body: string,
  most = limit,
): RequestInit {
  return {
    method,
    headers: { 'SVC-API-KEY': key, 'Content-Type': faults.has('type') ? 'text/plain' : type },
    body: faults.has('size') ? body.padEnd(most + 1) : body,
  }
}

async function create(tenant: TestTenant): Promise<Ladder> {
  const keyFor = await callers(tenant, 'management', { permissions: ['application:read'] })
  await tenant.send('POST', '/tokens', { id: 'taken', type: 'token', data: 1 })
  let made = 0
  return {
    faults: [
      ['route', 405, 'method_not_allowed'],
      ['key', 401, 'unauthenticated'],
      ['right', 403, 'permission_denied'],
      ['type', 415, 'unsupported_media_type'],
      ['size', 413, 'payload_too_large'],
      ['body', 400, 'validation'],
      ['container', 403, 'permission_denied'],
      ['state', 409, 'conflict'],
    ],
    success: 201,
    request: faults => {
      const body = JSON.stringify({
        id: faults.has('state') ? 'taken' : `free-${made++}`,
        type: 'token',
        data: faults.has('body') ? null : 1,
        containers: [faults.has('container') ? '/yours/' : '/mine/'],
      })
      const method = faults.has('route') ? 'PUT' : 'POST'
      return { path: '/tokens', init: init(faults, method, keyFor(faults), 'application/json', body) }
    },
  }
}

async function react(tenant: TestTenant): Promise<Ladder> {
  const keyFor = await callers(tenant, 'management', { permissions: ['reactor:read'] })
  await tenant.send('POST', '/tokens', { id: 'mine', type: 'token', data: 1, containers: ['/mine/'] })
  await tenant.send('POST', '/tokens', { id: 'yours', type: 'token', data: 1, containers: ['/yours/'] })
  const there = await reactorOn(tenant, echo)
  const nobody = '/reactors/5b493235-6917-4307-906a-2cd6f1a90b13/react'
  return {
    faults: [
      ['route', 405, 'method_not_allowed'],
      ['key', 401, 'unauthenticated'],
      ['right', 403, 'permission_denied'],
      ['type', 415, 'unsupported_media_type'],
      ['size', 413, 'payload_too_large'],
      ['body', 400, 'malformed_json'],
      ['existence', 404, 'not_found'],
      ['token', 400, 'detokenize_failed'],
      ['container', 403, 'permission_denied'],
    ],
    success: 200,
    request: faults => {
      const named = [faults.has('container') ? 'yours' : 'mine', ...(faults.has('token') ? ['gone'] : [])]
      const body = JSON.stringify({ args: { named: named.map(id => `{{ ${id} }}`) } })
      const sent = faults.has('body') ? body.slice(0, -1) : body
      const method = faults.has('route') ? 'PUT' : 'POST'
      const most = 5 * limit
      return {
        path: faults.has('existence') ? nobody : there.path,
        init: init(faults, method, keyFor(faults), 'application/json', sent, most),
      }
    },
  }
}

async function authorize(tenant: TestTenant): Promise<Ladder> {
  const keyFor = await callers(tenant, 'management', { permissions: ['application:read'] })
  const newNonce = async () => (await tenant.asPublic('POST', '/sessions')).json.nonce
  const nonces = await Promise.all(Array.from({ length: 30 }, newNonce))
  const used = await newNonce()
  const grant = { permissions: ['token:create'] }
  await tenant.send('POST', '/sessions/authorize', { nonce: used, ...grant })
  const tooLate = new Date((await vault.clock.now()) + 25 * 60 * 60 * 1000).toISOString()
  return {
    faults: [
      ['route', 405, 'method_not_allowed'],
      ['key', 401, 'unauthenticated'],
      ['right', 403, 'permission_denied'],
      ['type', 415, 'unsupported_media_type'],
      ['size', 413, 'payload_too_large'],
      ['body', 400, 'validation'],
      ['existence', 404, 'not_found'],
      ['duration', 400, 'validation'],
      ['grant', 403, 'permission_denied'],
      ['state', 409, 'nonce_used'],
    ],
    success: 200,
    request: faults => {
      const body = JSON.stringify({
        nonce: faults.has('existence') ? 'unknown' : faults.has('state') ? used : nonces.pop(),
        permissions: [faults.has('grant') ? 'token:delete' : 'token:create'],
        rules: faults.has('body') ? 'none' : [],
        ...(faults.has('duration') ? { expires_at: tooLate } : {}),
      })
      const method = faults.has('route') ? 'PUT' : 'POST'
      const key = keyFor(faults)
      return { path: '/sessions/authorize', init: init(faults, method, key, 'application/json', body) }
    },
  }
}

for (const build of [create, react, authorize]) {
  t.test(`the order of checks: ${build.name}`, async t => {
    const ladder = await build(await openTenant(vault))
    const answer = async (...faults: string[]) => {
      const { path, init } = ladder.request(new Set(faults))
      const response = await vault.fetch(`http://vault${path}`, init)
      const text = await response.text()
      const { type } = JSON.parse(text || '{}')
      return [response.status, type?.replace('urn:surrogate:error:', '')]
    }
    const names = ladder.faults.map(([name]) => name)
    t.equal((await answer())[0], ladder.success, 'without a fault it is accepted')
    for (const [index, [name, status, code]] of ladder.faults.entries()) {
      const [next, ...rest] = names.slice(index + 1)
      t.same(await answer(name), [status, code], `${name} alone`)
      if (next === undefined) continue
      t.same(await answer(name, next), [status, code], `${name} before ${next}`)
      t.same(await answer(name, next, ...rest), [status, code], `${name} before all after it`)
    }
  })
}
