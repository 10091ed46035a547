import t from 'tap'
import type { AccessRule, TokenPermission } from '../contract/types.ts'
import { deciderOf, type Rights, type Subject } from './rules.ts'

const read: TokenPermission = 'token:read'
const rule = (
  priority: number,
  container: string,
  transform: AccessRule['transform'],
  permission: TokenPermission = read,
) => ({
  priority,
  container,
  transform,
  permissions: [permission],
})
const given = (rules: AccessRule[], permissions: TokenPermission[] = []): Rights => ({ rules, permissions })
const decide = (rights: Rights, permission: TokenPermission, subject: Subject) =>
  deciderOf(rights, permission)(subject)
const at = (...containers: string[]) => ({ id: 'the-token', containers })

t.test('the first matching rule by priority decides, wherever it stands in the list', async t => {
  const rights = given([rule(2, '/', 'reveal'), rule(1, '/pci/', 'redact')])
  t.same(decide(rights, read, at('/pci/high/')), { allowed: true, transform: 'redact' })
  t.same(decide(rights, read, at('/pii/high/')), { allowed: true, transform: 'reveal' })
})

t.test('a rule that does not list the permission is passed over', async t => {
  const rights = given([rule(1, '/', 'reveal', 'token:use'), rule(2, '/', 'mask')])
  t.same(decide(rights, read, at('/a/')), { allowed: true, transform: 'mask' })
})

t.test('a permission held directly is a last rule on / that masks', async t => {
  t.same(decide(given([], [read]), read, at('/a/')), { allowed: true, transform: 'mask' })
  const both = given([rule(9, '/a/', 'reveal')], [read])
  t.same(decide(both, read, at('/a/')), { allowed: true, transform: 'reveal' })
  t.same(decide(both, read, at('/b/')), { allowed: true, transform: 'mask' })
})

t.test('no access without a match', async t => {
  t.same(decide(given([rule(1, '/a/', 'reveal')]), read, at('/b/')), { allowed: false, container: '/b/' })
  t.same(decide(given([]), read, at('/b/')), { allowed: false, container: '/b/' })
})

t.test('each of several containers needs a match, and the strictest transform counts', async t => {
  const rights = given([rule(1, '/a/', 'reveal'), rule(2, '/b/', 'mask'), rule(3, '/c/', 'redact')])
  t.same(decide(rights, read, at('/a/', '/b/')), { allowed: true, transform: 'mask' })
  t.same(decide(rights, read, at('/b/', '/c/', '/a/')), { allowed: true, transform: 'redact' })
  t.same(decide(rights, read, at('/a/', '/d/')), { allowed: false, container: '/d/' })
})

t.test('a container covers itself and whole segments below it, without regard to case', async t => {
  const rights = given([rule(1, '/Pci/', 'reveal')])
  for (const path of ['/pci/', '/PCI/high/', '/pci/a/b/']) t.ok(decide(rights, read, at(path)).allowed, path)
  for (const path of ['/pcifoo/', '/', '/a/pci/']) t.notOk(decide(rights, read, at(path)).allowed, path)
})

t.test('all conditions of a rule must hold, for the same container', async t => {
  const conditions = [
    { attribute: 'id', operator: 'equals', value: 'the-token' },
    { attribute: 'container', operator: 'starts_with', value: '/a/' },
  ] as const
  const rights = given([{ priority: 1, conditions, transform: 'reveal', permissions: [read] }])
  t.ok(decide(rights, read, at('/a/b/')).allowed)
  t.notOk(decide(rights, read, at('/b/')).allowed)
  t.notOk(decide(rights, read, at('/a/', '/b/')).allowed)
  t.notOk(decide(rights, read, { id: 'THE-TOKEN', containers: ['/a/'] }).allowed, 'ids are exact')
})

t.test('container equals matches that container alone', async t => {
  const conditions = [{ attribute: 'container', operator: 'equals', value: '/a/' }] as const
  const rights = given([{ priority: 1, conditions, transform: 'reveal', permissions: [read] }])
  t.ok(decide(rights, read, at('/A/')).allowed)
  t.notOk(decide(rights, read, at('/a/b/')).allowed)
})

t.test('a subject without containers is covered by nothing', async t => {
  t.notOk(decide(given([rule(1, '/', 'reveal')]), read, at()).allowed)
})
