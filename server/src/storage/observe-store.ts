import type { Observer, Work } from '../base/observer.ts'
import type { CommitResult, Store } from './port/port.ts'

const work = <T>(name: string, outcomeOf: (result: T) => string = () => 'ok'): Work<T> => ({
  kind: 'store',
  name,
  outcomeOf,
})

const commit = work<CommitResult>('commit', ({ ok }) => (ok ? 'ok' : 'conflict'))
const [get, find, due, lease, compact] = [
  work<Awaited<ReturnType<Store['get']>>>('get'),
  work<Awaited<ReturnType<Store['find']>>>('find'),
  work<Awaited<ReturnType<Store['due']>>>('due'),
  work<boolean>('lease', isHeld => (isHeld ? 'ok' : 'conflict')),
  work<void>('compact'),
]

/** The same store, with its operations observed. */
export function observeStore(store: Store, observer: Observer | undefined): Store {
  if (!observer) return store
  return {
    commit: (writes, nowUs) => observer.run(commit, () => store.commit(writes, nowUs)),
    get: (kind, tenant, ids) => observer.run(get, () => store.get(kind, tenant, ids)),
    // Not work of the store: nothing is read.
    recent: (kind, tenant, id) => store.recent(kind, tenant, id),
    find: (kind, tenant, query, options) =>
      observer.run(find, () => store.find(kind, tenant, query, options)),
    due: (kind, beforeMs, limit) => observer.run(due, () => store.due(kind, beforeMs, limit)),
    lease: asked => observer.run(lease, () => store.lease(asked)),
    compact: () => observer.run(compact, () => store.compact()),
    now: () => store.now(),
    unhealthy: () => store.unhealthy(),
    close: () => store.close(),
  }
}
