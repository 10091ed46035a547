import t from 'tap'
import type { AccessRule } from '../contract/types.ts'
import { type Caller, missingForExpressions } from './caller.ts'

const rule = (priority: number, container: string, transform: AccessRule['transform']): AccessRule => ({
  priority,
  container,
  transform,
  permissions: ['token:update'],
})
const direct: Caller = {
  tenant: 'tenant',
  application: 'application',
  type: 'private',
  rights: { permissions: ['token:update'], rules: [] },
}
const by = (...rules: AccessRule[]): Caller => ({ ...direct, rights: { permissions: [], rules } })
const missing = (caller: Caller, ...containers: string[]) =>
  missingForExpressions(caller, { id: 'the-token', containers })

t.test('a private application sets expressions where it holds token:update directly or reveals', async t => {
  t.equal(missing(direct, '/a/', '/b/'), undefined)
  t.equal(missing(by(rule(1, '/', 'reveal')), '/a/'), undefined)
  for (const transform of ['mask', 'redact'] as const) {
    t.match(
      missing(by(rule(1, '/', transform)), '/a/'),
      `on /a/ comes from a rule whose transform is ${transform}`,
    )
  }
})

t.test('the rule that decides counts, in every container', async t => {
  const mixed = by(rule(2, '/', 'mask'), rule(1, '/a/', 'reveal'))
  t.equal(missing(mixed, '/a/'), undefined)
  t.match(missing(mixed, '/a/', '/b/'), /on \/b\//)
  const before: Caller = { ...direct, rights: { ...direct.rights, rules: [rule(1, '/a/', 'mask')] } }
  t.match(missing(before, '/a/'), /on \/a\//, 'a permission held directly is the last rule')
  t.equal(missing(before, '/b/'), undefined)
  t.match(missing(by(rule(1, '/a/', 'reveal')), '/b/'), /on \/b\//)
})

t.test('public applications and sessions set none, whatever their rules', async t => {
  const reveal = by(rule(1, '/', 'reveal'))
  for (const caller of [direct, reveal]) {
    t.match(missing({ ...caller, type: 'public' }, '/a/'), 'a public application sets no expressions')
    // A bootstrap file may turn the application that made a session into a private one.
    const session: Caller = { ...caller, session: 'session', limit: caller.rights }
    t.equal(missing(session, '/a/'), 'a session sets no expressions')
  }
})
