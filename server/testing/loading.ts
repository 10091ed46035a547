import t from 'tap'

let end = (): void => {}
const loaded = new Promise<void>(resolve => {
  end = resolve
})

// A file may wait before it defines its tests. Without a test that goes on meanwhile, tap would take the process for done.
t.test('all files were loaded', () => loaded)

/** Called after the last file of a process. */
export const endLoading = (): void => end()
