import t from 'tap'
import { startProcess } from '../testing/process.ts'

t.test('a server says at its start, and a test server in /healthz, what holds formulas', async t => {
  const server = startProcess(t, ['--dev', '--port=0', '--storage=memory:'])
  const { url } = await server.ready()
  const [, said = ''] = await server.printed(/^formulas run in processes with: (.*)\n/m)
  t.match(said, /the permission model, an interpreter only/)
  const { formulas } = (await (await fetch(`${url}/healthz`)).json()) as { formulas: Record<string, unknown> }
  t.match(formulas, { permissionModel: true, jitless: true })
  t.equal(
    said.includes('no network') && !said.includes('without'),
    formulas.network === 'none' && formulas.endsWithServer,
  )
  t.equal((await server.end()).code, 0)
})

t.test('a module that cannot be given to formulas is refused at the start', async t => {
  for (const [name, says] of [
    ['no-such-package', /Could not resolve "no-such-package"/],
    ['../package.json', /is no name of a package/],
    ['fs', /Could not resolve "fs"/],
  ] as const) {
    const { code, stderr } = await startProcess(t, [
      '--storage=memory:',
      '--dev',
      '--port=0',
      '--formula-module',
      name,
    ]).ended
    t.equal(code, 2)
    t.match(stderr, /^surrogate-server: [^\n]+\n$/)
    t.match(stderr, says)
  }
})
