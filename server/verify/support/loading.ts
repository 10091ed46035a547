import { createRequire } from 'node:module'
import t from 'tap'

// tap would preload a module of its own into each process that a test starts, programs under test among them.
createRequire(import.meta.url)('process-on-spawn').removeAllListeners()
process.env.NODE_OPTIONS = process.env.NODE_OPTIONS?.replace(/"?--import=\S*@tapjs\S*"?/g, '') ?? ''

let end = (): void => {}
// A file may wait before it defines its tests. If nothing went on meanwhile, tap would take the process for done.
t.waitOn(new Promise<void>(resolve => (end = resolve)))

let [added, counted] = [0, t.count]
t.on('subtestAdd', () => added++)

/** Called after each file of a process, and with `all` after the last one. tap passes a file without tests. */
export function endFile(path: string): void {
  if (path === 'all') end()
  // Skipped tests are counted only.
  else if (added === 0 && t.count === counted) t.fail(`${path} has no test`)
  ;[added, counted] = [0, t.count]
}
