import t from 'tap'
import { testRule } from '../../verify/support/test-rule.ts'
import { type Area, areasAround, intersectAreas, isWithin, levelsOf, toArea } from './containers.ts'

const show = (areas: readonly Area[]) => areas.map(({ path, below }) => path + (below ? '*' : ''))

t.test('a container lies in itself and in all that hold it, in one case', async t => {
  t.same(show(areasAround('/pci/High/')), ['/pci/high/', '/pci/*', '/pci/high/*'])
  t.same(show(areasAround('/')), ['/'])
})

t.test('of a container deeper than any may be, the levels that can be named count', async t => {
  t.equal(areasAround(`/${'a/'.repeat(16)}`).length, 17)
  const areas = areasAround(`/${'a/'.repeat(70_000)}`)
  t.equal(areas.length, 17)
  t.equal(areas.at(-1)?.path, `/${'a/'.repeat(16)}`)
})

t.test('everything is within the root, and a container within itself', async t => {
  t.ok(isWithin('/a/b/', '/'))
  t.ok(isWithin('/A/', '/a/'))
  t.notOk(isWithin('/ab/', '/a/'))
})

t.test('levels are counted from the root, which is none', async t => {
  t.equal(levelsOf('/'), 0)
  t.equal(levelsOf('/a/'), 1)
  t.equal(levelsOf('/a/b/c/'), 3)
})

testRule('two areas have an area in common, or nothing', async t => {
  const areas = ['/', '/a/', '/A/b/', '/ab/'].flatMap(path => [toArea(path, true), toArea(path, false)])
  const lies = (path: string, area: Area) => (area.below ? path.startsWith(area.path) : path === area.path)
  for (const one of areas) {
    for (const other of areas) {
      const common = intersectAreas(one, other)
      for (const path of ['/', '/a/', '/a/b/', '/a/b/c/', '/ab/', '/b/']) {
        t.equal(
          common !== undefined && lies(path, common),
          lies(path, one) && lies(path, other),
          `${path} in ${show([one, other]).join(' and ')}`,
        )
      }
    }
  }
})
