import type { Context } from './context.ts'
import { NotSupported } from './finding.ts'
import type { Exchange } from './target.ts'

/** For each operation a request that has to be accepted. It uses as few other operations as possible. */
const controls: Readonly<Record<string, (c: Context) => Promise<unknown>>> = {
  'tokens.create': c => c.token(),
  'tokens.get': async c => c.read((await c.token()).id),
  'tokens.list': c => c.get('/tokens?size=1', c.asPrivate),
  'tokens.search': async c => c.success(await c.asPrivate('POST', '/tokens/search', {}), 200, 'a search'),
  'tokens.update': async c => c.patch((await c.token()).id, { metadata: { a: 'b' } }),
  'tokens.delete': async c =>
    c.success(await c.asPrivate('DELETE', `/tokens/${(await c.token()).id}`), 204, 'a delete'),
  'sessions.create': c => c.session(),
  'sessions.authorize': async c => {
    const grant = { nonce: (await c.session()).nonce, permissions: ['token:read'] }
    c.success(await c.asPrivate('POST', '/sessions/authorize', grant), 200, 'an authorization')
  },
  'reactors.react': async c =>
    c.success(await c.react(await c.reactor(), { args: {} }), 200, 'an invocation'),
  'reactorFormulas.delete': async c =>
    c.success(await c.asManagement('DELETE', `/reactor-formulas/${(await c.formula()).id}`), 204, 'a delete'),
}

/**
 * Checks that each operation that a case saw refused, and never accepted, accepts a good request: where it does not, a
 * refusal shows nothing. The requests are sent once a run.
 */
export async function demandControls(c: Context, exchanges: readonly Exchange[]): Promise<void> {
  const accepted = new Set(exchanges.flatMap(one => ((one.status ?? 500) < 300 ? one.operation : [])))
  for (const operation of new Set(exchanges.map(one => one.operation ?? ''))) {
    const control = controls[operation]
    if (!control || accepted.has(operation)) continue
    try {
      await c.shared(`an accepted ${operation}`, control)
    } catch (error) {
      // Without the keys that a good request needs nothing is known.
      if (!(error instanceof NotSupported)) throw error
    }
  }
}
