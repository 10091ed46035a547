import t from 'tap'
import { newSchema, withPostgres } from '../../../verify/support/postgres.ts'
import { startProcess } from '../../../verify/support/process.ts'
import { refusalIn, runHere } from '../../../verify/support/run-here.ts'
import { schemaVersion } from '../../storage/engines/postgres/schema.ts'

const masterKey = Buffer.alloc(32, 7).toString('base64')

t.test('servers start on a database after it was migrated', withPostgres, async t => {
  const schema = newSchema(t)
  await schema.create()
  // In the environment, as arguments can be read by others.
  const environment = { SURROGATE_STORAGE: schema.url, SURROGATE_MASTER_KEY: masterKey }
  const run = (args: readonly string[], given: Record<string, string> = {}) =>
    runHere(args, { ...environment, ...given })
  const serve = ['--port', '0']

  const refused = async (name: string, says: RegExp, given: Record<string, string> = {}, args = serve) => {
    const { code, stdout, stderr } = await run(args, given)
    t.equal(code, 2, name)
    t.equal(stdout, '')
    if (args === serve) t.match(refusalIn(stderr), says)
    else t.match(stderr, new RegExp(`^surrogate-server: .*${says.source}.*\n$`))
    t.notMatch(stderr, /a-word-of-its-own/)
  }
  const at = (parts: Partial<URL>) => {
    const url = Object.assign(new URL(schema.url), { password: 'a-word-of-its-own' }, parts)
    return { SURROGATE_STORAGE: url.href }
  }

  await refused('a database without a schema', /run surrogate-server migrate/)
  const toDo = { code: 1, stdout: `to do: upgrade the schema from version 0 to ${schemaVersion}\n` }
  t.match(await run(['migrate', '--check']), toDo)
  t.match(await run(['migrate', '--check']), toDo, 'nothing was changed')
  t.match(await run(['migrate']), {
    code: 0,
    stdout: `the schema was upgraded from version 0 to ${schemaVersion}\n`,
  })
  t.match(await run(['migrate']), { code: 0, stdout: `the schema is already at version ${schemaVersion}\n` })

  t.match(await run(['migrate', '--check']), { code: 0, stdout: 'there is nothing to do\n' })

  await refused('no master key', /there is no master key: .* same for all servers/, {
    SURROGATE_MASTER_KEY: '',
  })
  await refused('another port', /cannot be reached/, at({ port: '1' }))
  await refused('no user of that name', /refuses the user or the password/, at({ username: 'nobody_at_all' }))
  await refused('a URL cut off', /names no database/, at({ pathname: '/' }))
  await refused('a parameter that there is not', /unknown parameter/, at({ search: '?ssl=yes' }))
  await refused('a data folder', /only databases have a schema/, { SURROGATE_STORAGE: 'level:./data' }, [
    'migrate',
  ])
  const readOnly = schema.url.replace('options=', 'options=-c%20default_transaction_read_only%3Don%20')
  await refused('a standby', /takes no writes: use the primary/, { SURROGATE_STORAGE: readOnly })
  const [one, other] = [startProcess(t, serve, environment), startProcess(t, serve, environment)]
  for (const server of [one, other]) {
    const { url } = await server.ready()
    t.equal((await fetch(`${url}/healthz`)).status, 200)
  }
  await refused('a wrong master key', /master key is not the one/, {
    SURROGATE_MASTER_KEY: Buffer.alloc(32, 8).toString('base64'),
  })
  for (const server of [one, other]) t.equal((await server.end()).code, 0)
})
