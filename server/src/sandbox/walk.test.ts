import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { body, openSandbox } from './_fixture.ts'
import { imitatedModules } from './modules/module-names.ts'
import type { ServiceTransport } from './sandbox.ts'

const { publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 1024,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})

/**
 * Walks everything that a formula can reach, twice in one process: an object marked the first time must not be found
 * again. Objects that persist must not have internal state, like maps and buffers do even if frozen.
 */
const provoke = `
  const made = []
  const keep = (...values) => made.push(...values)
  const tryAll = async (...steps) => { for (const step of steps) try { keep(await step()) } catch (error) { keep(error) } }
  const crypto2 = require('crypto'), errors = require('@surrogate/formula-errors')
  keep(crypto2, errors, require('buffer'), require('node:crypto'))
  const modules = ['events', 'node-fetch', 'querystring', 'stream', 'stream/promises', 'util', 'util/types', 'string_decoder'].map(name => require(name))
  keep(...modules, new modules[0](), new modules[3].PassThrough(), require('node:stream').Readable.from(['a']), modules[5].types)
  const others = Object.fromEntries(IMITATED.map(name => [name, require(name)]))
  const { http, https, zlib, url, fs, net, assert } = others
  keep(others, http.globalAgent, new https.Agent(), zlib.createGzip(), new url.Url(), new assert.AssertionError({ message: 'a' }), fs.statSync('/'), process, process.stdout)
  await tryAll(
    () => zlib.gzipSync('a'), () => zlib.gunzipSync('a'), () => zlib.gunzipSync(zlib.gzipSync(Buffer.alloc(1e7))), () => zlib.deflateSync(Buffer.alloc(17e6)), () => net.connect(1), () => new net.Socket(), () => others.vm.runInThisContext('1'),
    () => fs.readFileSync('/a'), () => fs.writeFileSync('/a', 'b'), () => fs.readFileSync('/a'), () => fs.createReadStream('/a'), () => fs.createWriteStream('/b'), () => fs.promises.readFile('/none'), () => url.parse('http://a/?b=c', true), () => assert.strictEqual(1, 2), () => assert.deepEqual({}, []),
    () => http.get({ socketPath: 'a' }), () => new Promise((done, fail) => { const asked = https.get('https://a.test/', done).on('error', fail); keep(asked, asked.socket) }), () => new Promise((done, fail) => https.get('https://refused.test/', done).on('error', fail)),
    () => new Response(modules[3].Readable.from(['a'])), () => fetch('http://a.test/', { method: 'POST', body: {} }), () => new Response(modules[3].Readable.from(['a'])).clone(),
    () => others['dns/promises'].lookup('a'), () => others.module.createRequire('/a')('inspector'), () => new others.async_hooks.AsyncLocalStorage(), () => others.domain.create(), () => others.diagnostics_channel.channel('a'), () => others['timers/promises'].setTimeout(1),
    () => require('nothing'), () => new URL(''), () => new TextDecoder('nope'), () => structuredClone(() => {}), () => atob('*'),
    () => new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])), () => null.x, () => undeclared, () => JSON.parse('{'),
    () => new Array(-1), () => decodeURIComponent('%'), () => 'x'.repeat(-1), () => 1n / 0n, () => Symbol() + '', () => new Proxy({}, null),
    () => fetch('http://a.test/'), () => crypto.subtle.digest('SHA-256', new Uint8Array(1)), () => crypto.subtle.digest('x', 1), () => crypto.subtle.importKey('raw', new Uint8Array(1), { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']), () => crypto.subtle.importKey('raw'),
    () => undeclaredName, () => modules[0].once(new modules[0](), 'a', keep(1)) && 1, () => modules[3].Readable.from([Promise.reject(1)]).on('error', keep).resume(),
    () => crypto2.createHash('nope'), () => crypto2.createHash('sha1').copy(), () => crypto2.createCipheriv('aes-128-gcm', Buffer.alloc(16), Buffer.alloc(12)), () => crypto2.createDecipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16)).final(), () => crypto2.createCipheriv('nope'), () => crypto2.createSign('sha256'), () => crypto2.createVerify('sha256').update('a').verify(PUBLIC_KEY, ''), () => crypto2.createSign('sha256').sign(PUBLIC_KEY), () => crypto2.createPublicKey(PUBLIC_KEY), () => crypto2.createPublicKey(PUBLIC_KEY).export({ format: 'jwk' }), () => crypto2.createPublicKey(PUBLIC_KEY).export({ format: 'der', type: 'spki' }), () => crypto2.publicEncrypt(PUBLIC_KEY, Buffer.from('a')), () => crypto2.privateDecrypt(PUBLIC_KEY, 'a'), () => crypto2.createPrivateKey('a'), () => crypto2.createSecretKey('a'), () => new crypto2.KeyObject(), () => crypto2.createHash('sha256').update('a').digest(), () => crypto2.createHash('md5'), () => crypto2.randomBytes(4),
    () => req.svc.tokens.get('a'), () => req.svc.tokens.get('missing'), () => req.svc.tokens.list(), () => req.svc.tokens.list()[Symbol.asyncIterator](),
    () => req.svc.withSession('k'), () => new req.svc.constructor({}),
    () => new errors.BadRequestError({ a: 1 }), () => new errors.CustomHttpResponseError({}), () => structuredClone(new Map([[1, new Error('a')]])),
    () => new Response('a').text(), () => new Response('a').arrayBuffer(), () => Response.json({ a: 1 }), () => new Request('http://a/'),
    () => new Promise((_, reject) => { const c = new AbortController(); c.signal.addEventListener('abort', e => { keep(e); reject(c.signal.reason) }); c.abort() }),
    () => AbortSignal.abort(), () => AbortSignal.timeout(1e6), () => new Function('return import("x")'), () => eval('('),
  )
  keep([][Symbol.iterator](), new Map().entries(), new Set().values(), ''[Symbol.iterator](), 'a'.matchAll(/a/g), (function* () {})(), (async function* () {})(),
    new Headers().entries(), new URLSearchParams('a=b').entries(), new URL('http://a/?b=c').searchParams, new Date(0), /a/.exec('a'), Proxy.revocable({}, {}),
    new Intl.NumberFormat('de'), new Intl.DateTimeFormat(), new Intl.DateTimeFormat().formatToParts(), new Intl.PluralRules(), new Intl.Collator(), new Intl.ListFormat(),
    new Intl.RelativeTimeFormat(), new Intl.Locale('de'), new Intl.DisplayNames('de', { type: 'region' }), new Intl.NumberFormat().resolvedOptions(),
    Buffer.from('a'), Buffer.alloc(1).subarray(0), new DataView(new ArrayBuffer(1)), new TextEncoder().encode('a'), new BigInt64Array(1), new Float64Array(1), (function () { return arguments })(1))
  if (typeof Iterator === 'function' && Iterator.from) keep(Iterator.from({ next() {} }), [].values().map(x => x), [].values())
  keep(await new Promise(done => setTimeout((...all) => done(all), 0, 1)), setTimeout(() => {}, 1e6))
`
  .replace('IMITATED', JSON.stringify(imitatedModules))
  .replaceAll('PUBLIC_KEY', JSON.stringify(publicKey))
const walk = `
  const marked = [], closed = [], seen = new Map()
  const stateful = [v => Map.prototype.has.call(v), v => Set.prototype.has.call(v), v => WeakMap.prototype.has.call(v, {}), v => WeakSet.prototype.has.call(v, {}), v => Date.prototype.getTime.call(v)]
  const holdsState = value => ArrayBuffer.isView(value) || stateful.some(test => { try { test(value); return true } catch { return false } })
  const queue = [[globalThis, 'globalThis'], [req, 'req'], [module, 'module'], [require, 'require'], ...made.map((value, index) => [value, 'made.' + index])]
  while (queue.length) {
    const [value, path] = queue.pop()
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value) || value === seen || value === queue || value === made || value === marked || value === closed) continue
    seen.set(value, path)
    if (Object.hasOwn(value, 'mark')) marked.push(path)
    if (Object.isFrozen(value) && holdsState(value)) closed.push(path)
    queue.push([Object.getPrototypeOf(value), path + '.__proto__'])
    if (ArrayBuffer.isView(value)) continue
    for (const key of Reflect.ownKeys(value)) {
      const { get, set, value: member } = Reflect.getOwnPropertyDescriptor(value, key)
      queue.push([get, path + '.get ' + String(key)], [set, path + '.set ' + String(key)], [member, path + '.' + String(key)])
      if (get && path !== 'globalThis') try { queue.push([Reflect.apply(get, value, []), path + '.' + String(key) + '()']) } catch {}
    }
  }
  let open = 0
  for (const value of seen.keys()) if (Reflect.defineProperty(value, 'mark', { value: 1, configurable: true })) open++
  return { raw: { seen: seen.size, open, marked, closed } }
`
const svc: ServiceTransport = async ({ path }) =>
  path.includes('missing')
    ? {
        status: 404,
        headers: { 'content-type': 'application/problem+json' },
        body: '{"title":"no","status":404}',
      }
    : {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: '{"pagination":{"total_pages":1},"data":[]}',
      }

type Walked = Readonly<Record<'seen' | 'open', number> & Record<'closed' | 'marked', readonly string[]>>

/** The same code for shared globals: the object of the globals, by which code gets a compartment of its own, is visited by name. */
function inSharedGlobals(names: readonly string[]): string {
  const withheld = ['globalThis', 'global', 'self', 'eval', 'Function']
  const named = names.filter(name => !withheld.includes(name)).map(name => `[${name}, '${name}']`)
  return body(provoke + walk)
    .replace(/, \(\) => new Function\('return import\("x"\)'\), \(\) => eval\('\('\)/, '')
    .replace(`[globalThis, 'globalThis']`, named.join(','))
    .replace(`path !== 'globalThis'`, 'true')
}

t.test('no mutable object is shared by two invocations, in their own globals or in shared ones', async t => {
  const sandbox = openSandbox(t, {
    egress: async ({ url }) => {
      if (url.includes('refused')) throw new Error('refused')
      return { status: 200, headers: {}, body: 'a' }
    },
  })
  const names = (await sandbox.raw(
    body(`return { raw: Object.getOwnPropertyNames(globalThis).filter(name => /^\\w+$/.test(name)) }`),
  )) as string[]
  const shared = inSharedGlobals(names)
  t.notMatch(shared, /globalThis|Function\(|eval/)
  for (const code of [body(provoke + walk), shared]) {
    const walked = async () => (await sandbox.raw(code, { svc, args: { a: [1] } })) as Walked
    const { seen, open, closed } = await walked()
    t.ok(seen > 900, `${seen} objects are reached`)
    t.ok(open > 50, `${open} of them are the invocation's own and can be marked`)
    t.same(closed, [], 'no frozen object has internal state')
    t.same((await walked()).marked, [])
  }
  t.equal(sandbox.counts().started, 1, 'all ran in the same process')
})

t.test('control: the walk finds a shared object', async t => {
  const sandbox = openSandbox(t)
  const twice = `made.push(globalThis.Array.prototype); Object.defineProperty(req, 'mark', { value: 1 });`
  const { marked } = (await sandbox.raw(body(`const made = []; ${twice} ${walk}`))) as { marked: string[] }
  t.same(marked, ['req'])
})
