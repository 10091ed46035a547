import t from 'tap'
import { openFolder } from './open.ts'

t.test('a folder that has no room to open is refused with what it lacks', async t => {
  const openLevel = (folder: string) => {
    const message = `IO error: ${folder}: No space left on device`
    return Promise.reject(new Error('', { cause: { code: 'LEVEL_IO_ERROR', message } }))
  }
  await t.rejects(openFolder(t.testdir(), { openLevel }), {
    name: 'DataFolderRefused',
    message: /, as the disk is full: make room for \d+ MB more\.$/,
  })
})
