import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t, { type Test } from 'tap'
import { database, openSchema, withPostgres } from '../../../../verify/support/postgres.ts'
import { migrateStore, openExisting, openFrozen, openStore, parseStorage } from '../../open.ts'
import { BoundClient } from './client.ts'
import { openPool, withClient } from './connect.ts'

const secret = 'a-very-secret-password'
const int32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer).reverse()
/** A message of the database: its type and its content. */
const message = (type: string, ...content: Buffer[]) => {
  const body = Buffer.concat(content)
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}
const text = (...words: string[]) => Buffer.from([...words, ''].join('\0'))
const asksInClear = message('R', int32(3))
const asksByMd5 = message('R', int32(5), Buffer.from('salt'))
const asksBy = (...mechanisms: string[]) => message('R', int32(10), text(...mechanisms, ''))
const goesOn = message('R', int32(11), Buffer.from('r=nonce,s=c2FsdA==,i=4096'))
const fails = (code: string) => message('E', text('SFATAL', `C${code}`, 'Ma text of its own', ''))

/** Opens a server that answers each message of a client with the next of these. Returns its port, and what it got. */
async function openDatabase(t: Test, ...answers: readonly Buffer[]) {
  const received: Buffer[] = []
  const server = createServer(socket => {
    const left = [...answers]
    socket.on('error', () => {})
    socket.on('data', data => {
      received.push(data)
      const next = left.shift()
      // After a fatal error a database closes the connection.
      if (!next || next.toString('latin1').startsWith('E')) socket.end(next ?? '')
      else socket.write(next)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return { at: `127.0.0.1:${port}`, got: () => Buffer.concat(received).toString('latin1') }
}

const plus = 'SCRAM-SHA-256-PLUS'

t.test('what a database answers at first is one sentence without its text, for commands, too', async t => {
  for (const [user, answers, says] of [
    [
      'me',
      [asksBy('SCRAM-SHA-256'), goesOn],
      /^the database d at \S+ asks for a password, and the storage URL has none/,
    ],
    ['me:', [asksBy('SCRAM-SHA-256'), goesOn], /asks for a password, and the storage URL has none/],
    [`me:${secret}`, [asksBy('OTHER')], /cannot check the password: Only mechanism/],
    [`me:${secret}`, [fails('28P01')], /refuses the user or the password/],
    [`me:${secret}`, [fails('55000')], /accepts no connections at the moment \(allow_connections\)/],
    [`me:${secret}`, [fails('08P01')], /refuses to serve this program \(SQLSTATE 08P01\)/],
    [`me:${secret}`, [fails('3D000')], /there is no database d/],
  ] as const) {
    const { at } = await openDatabase(t, ...answers)
    const url = `postgres://${user}@${at}/d`
    const ways = [
      () => openStore(parseStorage(url)),
      () => openExisting(url),
      () => openFrozen(url),
      () => migrateStore(url),
      () => migrateStore(url, true),
    ]
    for (const use of ways) {
      const error = await use().catch((error: Error) => error)
      t.match(error, { name: 'DatabaseRefused', message: says }, `${says}`)
      t.notMatch((error as Error).message, /\n|a text of its own|a-very-secret/)
    }
  }
})

t.test('with channel_binding=require the password is proved to nobody else', async t => {
  for (const [answers, isGiven] of [
    [[asksInClear], /a-very-secret/],
    [[asksByMd5], /md5[\da-f]{32}/],
    [[asksBy('SCRAM-SHA-256'), goesOn], /SCRAM-SHA-256\0/],
  ] as const) {
    const { at, got } = await openDatabase(t, ...answers)
    // Without TLS, so that it can be seen what is sent: URLs with this parameter must have it.
    const open = (more: object) => connect(`postgres://me:${secret}@${at}/d`, more)
    await t.rejects(open({ Client: BoundClient, enableChannelBinding: true }), { name: 'Unbound' })
    t.notMatch(got(), isGiven)
    await t.rejects(open({}))
    t.match(got(), isGiven, 'the control')
  }
  const { at, got } = await openDatabase(t, asksBy(plus, 'SCRAM-SHA-256'))
  const bound = connect(`postgres://me:${secret}@${at}/d`, {
    Client: BoundClient,
    enableChannelBinding: true,
  })
  await t.rejects(bound, { message: /requires a certificate/ })
  t.notMatch(got(), /SCRAM-SHA-256\0/, 'where it is offered, nothing else is chosen')
})

async function connect(url: string, settings: object): Promise<void> {
  const { pool } = openPool(url, () => {}, settings)
  try {
    await withClient(pool, async () => {})
  } finally {
    await pool.end()
  }
}

t.test('a real database that is closed, or asks for a password', withPostgres, async t => {
  const url = new URL(await openSchema(t))
  const name = `closed_${url.searchParams.get('options')?.slice(-12)}`
  const admin = database()
  await admin.query(`create database ${name} allow_connections false`)
  t.teardown(() => admin.query(`drop database ${name}`))
  const closed = Object.assign(new URL(url), { pathname: `/${name}`, search: '' })
  await t.rejects(openStore(parseStorage(closed.href)), {
    name: 'DatabaseRefused',
    message: /allow_connections/,
  })
  const silent = Object.assign(new URL(url), { password: '' })
  const says = /refuses the user or the password|has none/
  await t.rejects(openStore(parseStorage(silent.href)), { name: 'DatabaseRefused', message: says })
  await (await openStore(parseStorage(url.href), { migrate: true })).close()
})
