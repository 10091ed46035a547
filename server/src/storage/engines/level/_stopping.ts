import type { Test } from 'tap'
import type { Found } from '../../port/port.ts'
import { LevelEngine } from './level-engine.ts'
import { type LevelDb, openLevelDb } from './leveldb.ts'

/** Opens a store with short logs, whose searches stop before they read blocks that are not in memory. */
export async function openStopping(t: Test) {
  const stopped: (() => void)[] = []
  const folder = t.testdir()
  const store = await LevelEngine.open(folder, {
    longestLogBytes: 64 << 10,
    openLevel: async at => {
      const level = await openLevelDb(at)
      const iterator = level.iterator.bind(level)
      level.iterator = ((options: { readonly values?: boolean }) => {
        const real = iterator(options)
        // It reads for an iterator of keys.
        if (options.values === false) return real
        const nextv = real.nextv.bind(real)
        real.nextv = async (size: number) => {
          await new Promise<void>(go => stopped.push(go))
          return nextv(size)
        }
        return real
      }) as LevelDb['iterator']
      return level
    },
  })
  t.teardown(() => store.close())
  const stop = async () => {
    while (stopped.length === 0) await new Promise(setImmediate)
  }
  return {
    folder,
    store,
    /** Resolves when there is a search that has stopped. */
    stop,
    /** Lets a search that has stopped go on. */
    go: async () => {
      await stop()
      stopped.shift()?.()
    },
    /** Lets all go on until one has ended. */
    goOn: async (search: Promise<Found>) => {
      let isOver = false
      const over = search.finally(() => {
        isOver = true
      })
      while (!isOver) {
        stopped.shift()?.()
        await new Promise(setImmediate)
      }
      return over
    },
  }
}
