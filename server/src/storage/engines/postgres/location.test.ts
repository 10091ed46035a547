import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { databaseName } from '../../../base/database-name.ts'
import { BoundClient } from './client.ts'
import { readLocation } from './location.ts'

const secret = 'very-secret-word'
const base = `postgres://me:${secret}@db.example:5433/vault`

t.test('a URL says where, who and how', async t => {
  const found = readLocation(base)
  t.match(found, { host: 'db.example', port: 5433, user: 'me', password: secret, database: 'vault', max: 20 })
  t.equal(readLocation(base).ssl, undefined)
  t.match(readLocation(`${base}?pool=25&application_name=mine&connect_timeout=3`), {
    max: 25,
    application_name: 'mine',
    connectionTimeoutMillis: 3000,
  })
  t.match(readLocation(`${base}?options=-c%20search_path%3Dmine`), { options: '-c search_path=mine' })
  t.match(readLocation('postgres:///vault?host=/run/postgresql'), { host: '/run/postgresql' })
  t.match(readLocation(`postgresql://me:a%2Fb%40c@db.example/vault`), { password: 'a/b@c' })
  t.equal(databaseName(base), 'vault at db.example:5433')
  t.equal(databaseName('postgres://me@db.example/vault'), 'vault at db.example:5432')
})

t.test('URLs that large hosts show work as they are', async t => {
  const { Client, ...neon } = readLocation(`${base}?sslmode=require&channel_binding=require`)
  t.match(neon, { enableChannelBinding: true, database: 'vault', ssl: {} })
  t.equal(Client, BoundClient)
  t.match(readLocation(`${base}?sslmode=require&channel_binding=prefer`), { enableChannelBinding: true })
  for (const more of [
    'target_session_attrs=read-write',
    'sslmode=require&gssencmode=disable&client_encoding=utf8&keepalives=1&sslnegotiation=postgres',
    'sslmode=verify-full&options=--cluster%3Dmine-1234',
    'channel_binding=disable',
  ]) {
    const { Client, ...read } = readLocation(`${base}?${more}`)
    t.match(read, { host: 'db.example', user: 'me', password: secret, database: 'vault' }, more)
    t.equal(Client, undefined)
    t.notOk('target_session_attrs' in read || 'keepalives' in read || 'channel_binding' in read)
  }
  t.equal(readLocation(`postgres://me:a%23b%3Fc@db.example/vault`).password, 'a#b?c')
})

t.test('TLS modes have the meaning of libpq', async t => {
  const authority = join(t.testdir(), 'authority.pem')
  writeFileSync(authority, 'a certificate')
  const ssl = (parameters: string) => readLocation(`${base}?${parameters}`).ssl
  t.equal(ssl('sslmode=disable'), false)
  t.match(ssl('sslmode=require'), { rejectUnauthorized: false })
  t.same(ssl('sslmode=verify-full'), {}, 'all is verified')
  t.match(ssl(`sslmode=verify-full&sslrootcert=${authority}`), { ca: 'a certificate' })
  t.match(ssl(`sslmode=verify-ca&sslrootcert=${authority}`), {
    ca: 'a certificate',
    checkServerIdentity: Function,
  })
})

t.test('a URL that is not valid is refused, without repeating its password', async t => {
  const wrong: readonly [url: string, says: RegExp][] = [
    [`postgres://me:${secret}@db.example:port/vault`, /not valid; use postgres:\/\/USER:PASSWORD@HOST/],
    [`postgres://me:${secret}@db.example`, /names no database/],
    [`postgres://me:${secret}@db.example/`, /names no database/],
    [`${base}?sslmod=disable`, /unknown parameter sslmod; did you mean sslmode\?$/],
    [`${base}?pgbouncer=true`, /unknown parameter pgbouncer; known are host, sslmode, .*, channel_binding/],
    [`${base}?channel_binding=maybe`, /channel_binding .* one of disable, prefer, require$/],
    [`${base}?channel_binding=require`, /channel_binding=require .* needs TLS: add sslmode=require$/],
    [
      `${base}?sslmode=require&target_session_attrs=standby`,
      /target_session_attrs .* one of any, read-write/,
    ],
    [`${base}?sslmode=require&gssencmode=require`, /gssencmode .* one of disable, prefer$/],
    [`postgres://me:12#${secret}@db.example/vault`, /%23 for # and %3F for \?$/],
    [`postgres://me:${secret}#12@db.example/vault`, /percent-encoded|%23/],
    [`postgres://me:12?${secret}@db.example/vault`, /%23 for # and %3F for \?$/],
    [`postgres://me:12?${secret}=1&a@db.example/vault`, /%23 for # and %3F for \?$/],
    [`${base}?sslmode=prefer`, /sslmode .* one of disable, require, verify-ca, verify-full/],
    [`${base}?sslmode=verify-ca`, /parameters of the storage URL/],
    [`${base}?sslmode=verify-full&sslrootcert=/no/such/file`, /certificate or key file .* cannot be read/],
    [`${base}?pool=1`, /pool .* from 2 to 500/],
    [`${base}?pool=501`, /pool .* from 2 to 500/],
    [`${base}?pool=ten`, /pool .* from 2 to 500/],
    [`${base}?connect_timeout=0`, /connect_timeout .* from 1 to 600/],
    [`${base}?connect_timeout=1s`, /connect_timeout .* from 1 to 600/],
  ]
  for (const [url, says] of wrong) {
    t.throws(() => readLocation(url), { name: 'DatabaseRefused', message: says })
    try {
      readLocation(url)
    } catch (error) {
      t.notMatch(String(error), secret)
    }
  }
})
