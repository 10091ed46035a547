import type { Observer, Work } from '../base/observer.ts'
import type { CommitResult, Engine } from './port/port.ts'

const work = <T>(name: string, outcomeOf: (result: T) => string = () => 'ok'): Work<T> => ({
  kind: 'store',
  name,
  outcomeOf,
})

const commit = work<CommitResult>('commit', ({ ok }) => (ok ? 'ok' : 'conflict'))
const [get, find, due, lease, compact] = [
  work<Awaited<ReturnType<Engine['get']>>>('get'),
  work<Awaited<ReturnType<Engine['find']>>>('find'),
  work<Awaited<ReturnType<Engine['due']>>>('due'),
  work<boolean>('lease', isHeld => (isHeld ? 'ok' : 'conflict')),
  work<void>('compact'),
]

/** The same engine, with its operations observed. */
export function observeEngine(engine: Engine, observer: Observer | undefined): Engine {
  if (!observer) return engine
  return {
    commit: (writes, nowUs) => observer.run(commit, () => engine.commit(writes, nowUs)),
    get: (kind, tenant, ids) => observer.run(get, () => engine.get(kind, tenant, ids)),
    // Not work of the engine: nothing is read.
    inMemory: (kind, tenant, id) => engine.inMemory(kind, tenant, id),
    find: (kind, tenant, query, options) =>
      observer.run(find, () => engine.find(kind, tenant, query, options)),
    due: (kind, beforeMs, limit) => observer.run(due, () => engine.due(kind, beforeMs, limit)),
    lease: asked => observer.run(lease, () => engine.lease(asked)),
    compact: () => observer.run(compact, () => engine.compact()),
    now: () => engine.now(),
    unhealthy: () => engine.unhealthy(),
    close: () => engine.close(),
  }
}
