import t from 'tap'
import { containerAncestry, isWithin } from './containers.ts'

t.test('the ancestry runs from the root to the container, in one case', async t => {
  t.same(containerAncestry('/pci/High/'), ['/', '/pci/', '/pci/high/'])
  t.same(containerAncestry('/'), ['/'])
})

t.test('everything is within the root, and a container within itself', async t => {
  t.ok(isWithin('/a/b/', '/'))
  t.ok(isWithin('/A/', '/a/'))
  t.notOk(isWithin('/ab/', '/a/'))
})
