import t from 'tap'
import { describeIsolation, type Isolation, missingLayers, requireIsolation } from './isolation.ts'

const all: Isolation = {
  permissionModel: true,
  jitless: true,
  user: 'own',
  files: 'none',
  signalsNobody: true,
  network: 'none',
  resourceLimits: true,
  endsFirst: true,
  endsWithServer: true,
  noNewPrivileges: true,
}

t.test('the line for the operator names the layers that hold and those that are missing', async t => {
  t.equal(
    describeIsolation(all),
    'formulas run in processes with: the permission model, interpreted code only, a separate user, no files, no signals to other processes, no network, no new privileges, resource limits, ending before the server when memory is short, ending with the server',
  )
  t.match(describeIsolation({ ...all, user: 'namespace' }), /a user namespace, no files, .*server$/)
  t.match(
    describeIsolation({ ...all, user: 'namespace', files: 'server', signalsNobody: false }),
    /without: no files, no signals to other processes$/,
    'a user namespace alone protects nothing of the server',
  )
  t.match(
    describeIsolation({ ...all, user: 'server', files: 'public', network: 'server' }),
    /without: a separate user, no files, no network$/,
  )
  t.equal(describeIsolation('none'), 'formulas cannot run: no process can be started')
})

t.test('required isolation holds, or an error names the missing layers', async t => {
  requireIsolation(all)
  requireIsolation({ ...all, user: 'namespace' })
  const lacks: readonly [given: Partial<Isolation>, name: string][] = [
    [{ permissionModel: false }, 'the permission model'],
    [{ jitless: false }, 'interpreted code only'],
    [{ user: 'server' }, 'a separate user'],
    [{ files: 'public' }, 'no files'],
    [{ files: 'server' }, 'no files'],
    [{ signalsNobody: false }, 'no signals to other processes'],
    [{ network: 'server' }, 'no network'],
    [{ resourceLimits: false }, 'resource limits'],
    [{ endsFirst: false }, 'ending before the server when memory is short'],
    [{ endsWithServer: false }, 'ending with the server'],
    [{ noNewPrivileges: false }, 'no new privileges'],
  ]
  t.strictSame(
    lacks
      .map(([given]) => Object.keys(given)[0])
      .filter((one, at, list) => list.indexOf(one) === at)
      .sort(),
    Object.keys(all).sort(),
    'every member is tested',
  )
  for (const [given, name] of lacks) {
    t.same(missingLayers({ ...all, ...given }), [name])
    t.throws(() => requireIsolation({ ...all, ...given }), {
      name: 'IsolationMissing',
      message: `requireIsolation: this host lacks layers that isolate formulas: ${name}`,
    })
  }
  t.throws(() => requireIsolation('none'), { name: 'IsolationMissing' })
})
