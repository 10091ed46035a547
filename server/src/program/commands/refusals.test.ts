import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runHere } from '../../../verify/support/run-here.ts'
import { openTestDatabase } from '../../../verify/support/storage.ts'
import {
  backUp,
  base64,
  copy,
  fill,
  isOnDatabase,
  keys,
  newKey,
  newStore,
  oldKey,
  open,
  read,
  run,
} from './_copying.ts'
import { commands } from './table.ts'

const one = keys(oldKey, undefined)
const both = keys(oldKey, newKey)
const wrong = keys(newKey, oldKey)
const withNew = (text: string) => ({ ...one, SURROGATE_NEW_MASTER_KEY: text })

const onDatabases = [
  [
    'copy --from FULL --to GONE',
    both,
    /^the database d at 127\.0\.0\.1:1 cannot be reached: nothing listens/,
  ],
  ['copy --from GONE --to NEW', both, /cannot be reached: nothing listens/],
  ['copy --from FULL --to BARE', both, /^the database of --to has no tables: run surrogate-server migrate/],
  ['copy --from BARE --to EMPTY', both, /migrate/],
  ['copy --from FULL --to DB', both, /^the destination holds data already/],
  ['copy --from DB --to DB', wrong, /^--from and --to are the same store/],
  ['copy --from DB --to POOLED', wrong, /^--from and --to are the same store/],
  ['copy --from EMPTY --to DB', both, /^the source has no keys yet/],
  ['copy --from DB --to EMPTY', {}, /^there is no master key: set SURROGATE_MASTER_KEY/],
  ['restore BACKUP --to BARE', one, /^the database of --to has no tables: run surrogate-server migrate/],
] as const

t.test('a job that cannot be done is refused in one sentence, and changes nothing', async t => {
  const folder = t.testdir({ nothing: {}, 'no-key': { 'master.key': 'short', store: {} }, taken: 'x' })
  const at = (name: string) => `level:${join(folder, name)}`
  const places: Record<string, string> = {
    ...{ FULL: at('full'), SAME: `${at('full')}/../full/`, OTHER: at('other'), NEW: at('new') },
    ...{ NOTHING: at('nothing'), NOKEY: at('no-key'), FILE: join(folder, 'file') },
    GONE: 'postgres://u:canary@127.0.0.1:1/d',
    ...{ TAKEN: join(folder, 'taken'), NONE: join(folder, 'none'), NOWHERE: join(folder, 'no/where') },
  }
  if (isOnDatabase) {
    const database = await newStore(t, 'database')
    await fill(t, database)
    Object.assign(places, { DB: database, POOLED: `${database}&pool=3`, BARE: await openTestDatabase(t) })
  }
  const [used, empty] = [await newStore(t, 'used'), await newStore(t, 'empty')]
  Object.assign(places, { USED: used, EMPTY: empty, BACKUP: join(folder, 'backup') })
  const words = (line: string) => line.split(' ').map(word => places[word] ?? word)
  const apiKey = await fill(t, at('full'))
  await fill(t, at('other'))
  await fill(t, used)
  t.equal((await backUp(at('other'), join(folder, 'backup'))).refusal, '')
  const id = '5b493235-6917-4307-906a-2cd6f1a90b13'
  const refused = async (line: string, environment: Record<string, string>, says: RegExp) => {
    const [name = '', ...args] = words(line)
    const { refusal, output } = await run(name, args, environment)
    t.match(refusal, says, line)
    t.equal(output, '')
    t.notMatch(refusal, /canary|\n/, 'one sentence')
    for (const key of [oldKey, newKey]) t.notOk(refusal.includes(base64(key)), 'no key is repeated')
    for (const made of ['new', 'file', 'file.partial']) t.notOk(existsSync(join(folder, made)), line)
  }
  for (const [line, environment, says] of [
    [
      'copy --from FULL --to NEW',
      keys(undefined, newKey),
      /^there is no master key: set SURROGATE_MASTER_KEY/,
    ],
    ['copy --from FULL --to NEW', wrong, /^the master key of the source is not the one/],
    ['copy --from FULL --to NEW', withNew('x'), /^SURROGATE_NEW_MASTER_KEY must be 32 bytes/],
    ['copy --from NOKEY --to NEW', {}, /master\.key .* 32 bytes/],
    ['copy --from NOKEY --to NEW', both, /^the source has no keys yet/],
    ['copy --from NOTHING --to NEW', both, /^there is no data in/],
    ['copy --from memory: --to NEW', both, /^--from cannot be memory:/],
    ['copy --from FULL --to memory:', both, /^--to cannot be memory:/],
    ['copy --from FULL --to mongodb://a:b@c', both, /^storage must be memory:/],
    ['copy --from FULL --to SAME', both, /^--from and --to are the same store/],
    ['copy --from FULL --to OTHER', both, /^the destination holds data already/],
    ['copy --from FULL', both, /^--to is missing: level:/],
    ['copy --to FULL', both, /^--from is missing: level:/],
    ['backup --storage FULL --to TAKEN', one, /taken is there already$/],
    ['backup --storage FULL --to NOWHERE', one, /where\.partial cannot be written \(ENOENT\)$/],
    ['backup --storage FULL', one, /^--to is missing: the file to write/],
    ['backup --storage NOTHING --to FILE', one, /^there is no data in/],
    ['backup --storage memory: --to FILE', one, /^memory: holds no data/],
    ['backup --storage FULL --to FILE', {}, /^there is no master key: set/],
    ['backup --storage FULL --to FILE', wrong, /^the master key of the source is not/],
    ['restore NONE --to NEW', one, /none cannot be read$/],
    ['restore TAKEN --to NEW', one, /taken is not a backup of this version$/],
    ['restore TAKEN --to memory:', one, /^--to cannot be memory:/],
    ['restore BACKUP --to FULL', one, /^the destination holds data already/],
    ['rotate-master-key --storage FULL', one, /SURROGATE_NEW_MASTER_KEY is missing/],
    [
      'rotate-master-key --storage FULL',
      keys(undefined, newKey),
      /there is no master key: set SURROGATE_MASTER_KEY/,
    ],
    [
      'rotate-master-key --storage FULL',
      keys(new Uint8Array(32), newKey),
      /the old master key is not the one/,
    ],
    ['rotate-master-key --storage FULL', keys(oldKey, oldKey), /is the present key of the store/],
    ['rotate-master-key --storage FULL', withNew('c2hvcnQ='), /SURROGATE_NEW_MASTER_KEY must be 32 bytes/],
    ['rotate-master-key --storage NOTHING', both, /there is no data in/],
    ['rotate-master-key --storage NOKEY', keys(undefined, newKey), /master\.key .* 32 bytes/],
    ['rotate-master-key --storage NOKEY', both, /has no keys yet/],
    ['rotate-master-key --storage memory:', both, /level:<folder>/],
    ['rotate-master-key --storage FULL --dev', both, /Unknown option '--dev'/],
    ['rotate-master-key --storage FULL now', both, /Unexpected argument/],
    ['rotate --storage FULL', both, /there is no command of that name/],
    ['reindex --storage FULL', wrong, /not the one this store was sealed with/],
    ['reindex --storage FULL', {}, /there is no master key/],
    ['reindex --storage NOKEY', one, /has no keys yet/],
    ['reindex --storage NOTHING', one, /there is no data in/],
    ['reindex --storage memory:', one, /level:<folder>/],
    [`remove-tenant ${id} --storage FULL --yes`, one, /^this store has no tenant with this id/],
    [`remove-tenant ${id} --storage FULL --yes`, wrong, /^the master key is not the one/],
    [`remove-tenant ${id} --storage NOKEY --yes`, one, /^this store has no keys yet/],
    ['migrate --storage FULL', {}, /only databases have a schema/],
    ...(isOnDatabase ? onDatabases : []),
  ] as const)
    await refused(line, environment, says)
  const printed = /^surrogate-server: there is no data in [^\n]+\n$/
  const program = await runHere(words('reindex --storage NOTHING'), one)
  t.match(program, { code: 2, stdout: '', stderr: printed })

  const servers = isOnDatabase ? [open(t, used, oldKey), open(t, used, oldKey)] : [open(t, used, oldKey)]
  await Promise.all(servers.map(server => server.ready()))
  const says = isOnDatabase
    ? /^the database .+ is in use: stop all servers on it/
    : /^The data folder is in use by another process\.$/
  for (const [line, environment] of [
    ['copy --from USED --to EMPTY', both],
    ['copy --from OTHER --to USED', both],
    ['restore BACKUP --to USED', one],
    ['rotate-master-key --storage USED', both],
    ...(isOnDatabase
      ? []
      : ([
          ['reindex --storage USED', one],
          [`remove-tenant ${id} --storage USED --yes`, one],
        ] as const)),
  ] as const)
    await refused(line, environment, says)
  await Promise.all(servers.map(server => server.close()))
  t.equal((await copy(used, empty, one)).refusal, '', 'the control')
  t.equal(await read(t, at('full'), oldKey, apiKey), 'as it was 1')
})

t.test('the help lists the commands, and each has its own', async t => {
  const { code, stdout } = await runHere(['--help'])
  t.equal(code, 0)
  for (const { name, summary } of commands) {
    t.ok(stdout.includes(name) && stdout.includes(summary), name)
    const own = await runHere([name, '--help'])
    t.equal(own.code, 0)
    t.match(own.stdout, `Usage: surrogate-server ${name}`)
  }
})
