import t from 'tap'
import { createFormulaEgress } from '../egress/formula-egress.ts'
import { program, testAlike } from './_alike.ts'
import { body, openSandbox } from './_fixture.ts'

/** Expressions, or blocks that return: each has the same result in Node. */
const alike = [
  `{ const p = require('path'); return [p.join('/a', '../b', 'c'), p.resolve('/x', 'y'), p.basename('/a/b.txt', '.txt'), p.extname('a.b'), p.relative('/a/b', '/a/c'), p.normalize('/a//b/./c'), p.sep, p.posix === p, require('path/posix').dirname('/a/b')] }`,
  `{ const u = require('url'); const { auth, host, port, query, hash, path, href } = u.parse('HTTP://a:b@H.test:8/p%20q/?q=1&r#h', true); return { auth, host, port, query, hash, path, href } }`,
  `{ const u = require('url'); return [u.resolve('http://a/b/c', '../d?e'), u.format({ protocol: 'http', host: 'a', pathname: '/x', query: { a: [1, 2] } }), u.parse('//a/b', false, true).host, u.parse('mailto:a@b.c').href] }`,
  `{ const u = require('url'); return [u.fileURLToPath('file:///a%20b'), u.pathToFileURL('/a b?c#d').href, new u.URL('http://a').href, new u.URLSearchParams('a=b').get('a'), u.parse === require('node:url').parse] }`,
  `require('url').parse(1)`,
  `{ const p = require('punycode'); return [p.toASCII('mañana.com'), p.toUnicode('xn--maana-pta.com'), p.encode('ü'), p.ucs2.decode('a😀')] }`,
  `{ const n = require('net'); return ['1.2.3.4', '256.1.1.1', '1.2.3', '1.2.3.4.', '01.2.3.4', '::1', '::ffff:1.2.3.4', 'fe80::1::2', ':', 'a', '', '1.2.3.4]/x'].map(text => [n.isIP(text), n.isIPv4(text), n.isIPv6(text)]) }`,
  `{ const a = require('assert'); a(1); a.ok(true); a.equal(1, '1'); a.deepEqual([1, new Map([[1, { a: 2 }]])], [1, new Map([[1, { a: 2 }]])]); a.throws(() => null.x, TypeError); await a.rejects(async () => null.x); a.match('abc', /b/); a.notDeepStrictEqual(new Set([1]), new Set([2])); return [require('assert').strict.equal === a.strictEqual, require('assert/strict') === a.strict] }`,
  ...[
    `(0)`,
    `.strictEqual(1, 2)`,
    `.deepStrictEqual({ a: 1 }, { a: 2 })`,
    `.throws(() => {})`,
    `.fail('no')`,
    `.ifError(null) || a.ifError(1)`,
  ].map(
    call =>
      `{ const a = require('assert'); try { a${call} } catch (e) { return [e.name, e.code, e instanceof a.AssertionError] } }`,
  ),
  `require('assert')(false, 'said')`,
  ...['gzip', 'deflate', 'deflateRaw', 'brotliCompress'].map(
    (method, at) =>
      `{ const z = require('zlib'), undo = z['${['gunzip', 'inflate', 'inflateRaw', 'brotliDecompress'][at]}Sync']; const made = await new Promise((done, fail) => z.${method}('é'.repeat(1000), (error, bytes) => (error ? fail(error) : done(bytes)))); return [Buffer.isBuffer(made), made.length < 200, undo(made).toString() === 'é'.repeat(1000), undo(z.${method}Sync(Buffer.from('b'))).toString()] }`,
  ),
  `{ const z = require('zlib'); return [z.unzipSync(z.gzipSync('a')).toString(), z.unzipSync(z.deflateSync('b')).toString(), z.gzipSync('a'.repeat(100), { level: 0 }).length, z.constants.Z_BEST_SPEED, z.Z_FINISH, z.constants.BROTLI_PARAM_QUALITY] }`,
  `{ const z = require('zlib'); const g = z.createGzip(), u = g.pipe(new z.Gunzip()); let text = ''; u.on('data', d => { text += d }); const over = new Promise(done => u.on('end', done)); g.write('a'); g.end(Buffer.from('b')); await over; return [text, g instanceof z.Gzip, g instanceof require('stream').Transform] }`,
  `new Promise((done, fail) => { const u = require('zlib').createGunzip(); u.on('error', fail); u.end('no gzip') })`,
  `require('zlib').gunzipSync('no gzip')`,
  `{ try { require('zlib').inflateSync(Buffer.from('x')) } catch (e) { return [e.name] } }`,
  `require('zlib').gzipSync({})`,
  `{ const { AsyncLocalStorage, AsyncResource } = require('async_hooks'); const s = new AsyncLocalStorage(); return [s.getStore() ?? null, s.run(1, () => [s.getStore(), s.run(2, () => s.getStore()), s.exit(() => s.getStore()) ?? null, s.getStore()]), s.getStore() ?? null, new AsyncResource('a').runInAsyncScope(function (n) { return this.a + n }, { a: 1 }, 2)] }`,
  `{ const { types } = require('util'); return [types.isBoxedPrimitive(Object(1)), types.isBoxedPrimitive(1), types.isNumberObject(Object('a')), types.isFloat64Array(new Float64Array(1))] }`,
  `{ const { setTimeout: late, setImmediate: next } = require('timers/promises'); return [await late(1, 'a'), await next('b'), typeof require('timers').clearTimeout] }`,
  `{ const t = require('tty'), w = require('worker_threads'), m = require('module'); return [t.isatty(1) && 1, w.isMainThread, w.parentPort, typeof m.createRequire('/a.js')('path').join] }`,
  `{ const { constants, kMaxLength } = require('buffer'); return [constants.MAX_LENGTH > 1e9, kMaxLength > 1e9] }`,
  `[String(process), process.on('x', () => {}) === process, typeof process.versions.node, process.release.name, process.stdout.fd]`,
  `{ const o = {}; Error.captureStackTrace(o); o.stack = 'mine'; const e = new Error('a'); e.stack = 'b'; return [o.stack, e.stack] }`,
  `{ const { STATUS_CODES, METHODS, Agent, globalAgent } = require('http'); return [STATUS_CODES[404], METHODS.includes('PATCH'), Agent({ keepAlive: true }) instanceof Agent, globalAgent.protocol, require('https').globalAgent.defaultPort, new Agent({ maxSockets: 3 }).maxSockets] }`,
  `{ const { Agent } = require('https'); function Old() { Agent.call(this, { keepAlive: true }) } require('util').inherits(Old, Agent); const o = new Old(); return [o.options.keepAlive, o.protocol, o instanceof Agent] }`,
  `require('http').request('https://a.test/')`,
  `require('http').request({ headers: { a: undefined } })`,
  `require('https').request('nothing')`,
]

const sandbox = openSandbox(t, { limits: { runsPerProcess: 10_000 } })
testAlike(sandbox, alike.map(program))

t.test('files are in memory, and those of the host are not there', async t => {
  const code = body(`
    const fs = require('fs'), seen = []
    fs.writeFileSync('/tmp/a/b.txt', 'é')
    await fs.promises.appendFile('/tmp/a/b.txt', Buffer.from('!'))
    const out = fs.createWriteStream('/tmp/a/c')
    out.write('x')
    await new Promise(done => out.end('y', done))
    let text = ''
    for await (const piece of fs.createReadStream('/tmp/a/c', 'utf8')) text += piece
    fs.renameSync('/tmp/a/c', '/tmp/d')
    seen.push(fs.readFileSync('tmp/a/b.txt', 'utf8'), text, fs.readdirSync('/tmp'), fs.readdirSync('/'))
    seen.push(fs.statSync('/tmp').isDirectory(), fs.statSync('/tmp/d').size, fs.existsSync('/tmp/a/c'))
    seen.push(await new Promise(done => fs.readFile('/tmp/d', (error, bytes) => done(String(bytes)))))
    seen.push(await new Promise(done => fs.exists('/tmp/d', done)), await require('fs/promises').readFile(new URL('file:///tmp/d'), 'utf8'))
    fs.rmSync('/tmp', { recursive: true, force: true })
    fs.rmSync('/tmp', { force: true })
    seen.push(fs.existsSync('/tmp/d'))
    for (const path of ['/etc/passwd', '/proc/self/environ', '../../etc/passwd', '/tmp'])
      seen.push(await fs.promises.readFile(path).catch(error => error.code))
    return { raw: seen }`)
  const seen = [
    'é!',
    'xy',
    ['a', 'd'],
    ['tmp'],
    true,
    2,
    false,
    'xy',
    true,
    'xy',
    false,
    ...Array(4).fill('ENOENT'),
  ]
  t.same(await sandbox.raw(code), seen)
  t.same(await sandbox.raw(code), seen, 'nothing is left for the next invocation')
})

/** What formulas cannot have, by the sentence that says so. */
const unavailable: Readonly<Record<string, readonly string[]>> = {
  'formulas have no sockets: % is not available; use fetch, http or https': [
    'net.connect',
    'new net.Socket',
    'net.createServer',
    'tls.connect',
    'dgram.createSocket',
    'dns.lookup',
    'http2.connect',
    'http.createServer',
  ],
  'formulas have no files: % is not available; readFile and writeFile keep files in memory': [
    'fs.openSync',
    'fs.watch',
    'fs.symlinkSync',
    'readline.createInterface',
  ],
  'formulas have no processes: % is not available': [
    'child_process.exec',
    'child_process.spawnSync',
    'new worker_threads.Worker',
  ],
  'formulas compile code with Function only: % is not available': [
    'vm.runInThisContext',
    'new vm.Script',
    'module.register',
  ],
}

t.test('what formulas cannot have loads, and says so when it is used', async t => {
  for (const [sentence, calls] of Object.entries(unavailable)) {
    for (const call of calls) {
      const [, isNew = '', module, member] = /^(new )?(\w+)\.(\w+)$/.exec(call) ?? []
      const code = body(
        `const { ${member}: use } = require('${module}'); class Own extends (use.prototype ? use : Object) {} try { ${isNew}use('a'); return { raw: 'used' } } catch (e) { return { raw: e.message } }`,
      )
      t.equal(await sandbox.raw(code), sentence.replace('%', call), call)
    }
  }
  t.match(
    await sandbox.raw(body(`return { raw: await require('fs').promises.open('/a').catch(e => e.message) }`)),
    /fs.open is not/,
  )
})

t.test('what is absent is a function of Node', async t => {
  const { absentMembers } = await import('./child/imitations/absent-members.child.ts')
  for (const [name, members] of Object.entries(absentMembers)) {
    const real = (await import(`node:${name}`)).default
    // Node has more of them in later versions.
    for (const member of members.trim().split(/\s+/))
      t.ok(typeof real[member] !== 'object', `${name}.${member}`)
    t.ok(
      members
        .trim()
        .split(/\s+/)
        .filter(member => typeof real[member] === 'function').length > 1,
      name,
    )
  }
})

const echo = async ({
  url,
  method,
  headers,
  body: sent,
  redirect,
}: Parameters<ReturnType<typeof createFormulaEgress>>[0]) => {
  if (url.includes('down')) throw new Error('connect ECONNREFUSED 10.0.0.1:80')
  const status = Number(/status=(\d+)/.exec(url)?.[1] ?? 200)
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'set-cookie': 'a=b',
      ...(status === 302 ? { location: 'https://a.test/next' } : {}),
    },
    body: JSON.stringify({ url, method, headers, redirect, sent: `${Buffer.from(sent ?? [])}` }),
  }
}

/** Awaits the answer of a request of `https`, and reads it. */
const ask = `const ask = (https, ...given) => new Promise((done, fail) => {
  const sent = typeof given.at(-1) === 'string' && given.length > 1 ? given.pop() : ''
  const request = https.request(...given, response => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', piece => { text += piece })
    response.on('end', () => done([response.statusCode, response.headers, text === '' ? '' : JSON.parse(text)]))
  })
  request.on('error', fail)
  request.end(sent)
});`

t.test('http and https send by the fetch of the sandbox', async t => {
  const open = openSandbox(t, { egress: echo })
  const code = body(`${ask}
    const https = require('https'), http = require('http')
    const [, , one] = await ask(https, 'https://u:p%40@a.test:8443/x?y=1', { method: 'post', headers: { 'Content-Type': 'a/b', Host: 'evil.test', Connection: 'close' } }, '{"a":1}')
    const [, headers, two] = await ask(http, { hostname: 'b.test', port: 80, path: '?q', headers: ['X-A', 1, 'X-B', 2] })
    const [status, { location }] = await ask(https, new URL('https://a.test/?status=302'))
    const three = await ask(https, { host: 'c.test', agent: new https.Agent({ keepAlive: true }), timeout: 5000 })
    const got = await new Promise(done => https.get('https://d.test/', response => done(response.resume().statusMessage)))
    const late = await ask(https, 'https://down.test/').catch(error => [error.message, error.code])
    return { raw: [one, two, headers['set-cookie'], status, location, three[2].url, got, late] }`)
  const basic = `Basic ${Buffer.from('u:p@').toString('base64')}`
  t.same(await open.raw(code), [
    {
      url: 'https://a.test:8443/x?y=1',
      method: 'POST',
      headers: { 'content-type': 'a/b', authorization: basic },
      redirect: 'manual',
      sent: '{"a":1}',
    },
    {
      url: 'http://b.test/?q',
      method: 'GET',
      headers: { 'x-a': '1', 'x-b': '2' },
      redirect: 'manual',
      sent: '',
    },
    ['a=b'],
    302,
    'https://a.test/next',
    'https://c.test/',
    'OK',
    ['the request failed', 'ECONNREFUSED'],
  ])
})

t.test('a request of http can be written in parts, aborted and timed, as in Node', async t => {
  const open = openSandbox(t, {
    egress: async request => {
      if (!request.url.includes('never')) return echo(request)
      await new Promise(resolve => request.signal.addEventListener('abort', resolve))
      throw new Error('aborted')
    },
  })
  const code = body(`
    const https = require('https'), { Readable } = require('stream'), seen = []
    const piped = https.request('https://a.test/', { method: 'PUT' })
    const response = new Promise(done => piped.on('response', done))
    piped.on('socket', socket => seen.push('socket', socket.connecting))
    piped.on('finish', () => seen.push('finish'))
    Readable.from(['a', 'b']).pipe(piped)
    let text = ''
    for await (const piece of await response) text += piece
    seen.push(JSON.parse(text).sent, piped.getHeader('x') ?? null, (await response).complete)
    const never = https.get('https://never.test/', { timeout: 1 })
    never.on('timeout', () => never.destroy(new Error('too late')))
    seen.push(await new Promise(done => never.on('error', error => done(error.message))))
    const aborted = https.get('https://never.test/')
    const closed = new Promise(done => aborted.on('close', () => done('closed')))
    aborted.abort()
    seen.push(await new Promise(done => aborted.on('error', error => done(error.code))), await closed)
    const controller = new AbortController()
    const stopped = https.get('https://never.test/', { signal: controller.signal })
    controller.abort()
    seen.push(await new Promise(done => stopped.on('error', error => done(error.name))))
    return { raw: seen }`)
  t.same(await open.raw(code), [
    'socket',
    false,
    'finish',
    'ab',
    null,
    true,
    'too late',
    'ECONNRESET',
    'closed',
    'AbortError',
  ])
})

/** Requests that would do less than their options say, or lead elsewhere than they say; behind the arrow, why not. */
const refused = [
  `{ socketPath: '/var/run/docker.sock' } // => socketPath is not supported: formulas have no sockets`,
  `{ localAddress: '10.0.0.1' } // => localAddress is not supported: formulas have no sockets`,
  `{ cert: 'a', key: 'b' } // => cert is not supported: formulas have no certificates of clients`,
  `{ pfx: Buffer.from('a') } // => pfx is not supported: formulas have no certificates of clients`,
  `{ ca: ['a'] } // => ca is not supported: the server trusts the authorities of its system`,
  `{ agent: new https.Agent({ ca: 'a' }) } // => agent.options.ca is not supported: the server trusts the authorities of its system`,
  `{ agent: new https.Agent({ key: 'a' }) } // => agent.options.key is not supported: formulas have no certificates of clients`,
  `{ checkServerIdentity() {} } // => checkServerIdentity is not supported: the server checks certificates itself`,
  `{ lookup() {} } // => lookup is not supported: the server looks up names itself`,
  `{ createConnection() {} } // => createConnection is not supported: formulas have no sockets`,
  `{ agent: Object.assign(new https.Agent(), { proxy: new URL('http://proxy.test') }) } // => an agent that makes connections is not supported: formulas have no sockets`,
  `{ path: 'https://evil.test/' } // => a path begins with /; requests by way of a proxy are not supported`,
  `{ host: 'a.test@evil.test' } // => the host or the port is not valid`,
  `{ host: 'a.test/evil' } // => the host or the port is not valid`,
  `{ port: '80@evil.test' } // => the host or the port is not valid`,
  `{ protocol: 'http:' } // => Protocol "http:" not supported. Expected "https:"`,
  `{ protocol: 'file:', agent: { protocol: 'file:' } } // => Protocol "file:" not supported. Expected "file:"`,
]

t.test('options that cannot be had are refused by a sentence, never dropped', async t => {
  let asked = 0
  const open = openSandbox(t, {
    egress: async request => {
      asked++
      return echo(request)
    },
  })
  const code = (options: string) =>
    body(`${ask} const https = require('https')
      return { raw: await ask(https, { host: 'a.test', ...${options} }).then(() => 'sent', error => error.message) }`)
  for (const [options = '', says] of refused.map(text => text.split(' // => '))) {
    t.equal(await open.raw(code(options)), says, options)
  }
  t.equal(asked, 0)
  t.equal(await open.raw(code('{ cert: undefined, agent: false, ca: null }')), 'sent', 'the control')
})

t.test('http reaches the allowed origins only, however the request says where', async t => {
  const egress = createFormulaEgress({ origins: ['https://a.test'], isOwn: () => false })
  const open = openSandbox(t, { egress })
  for (const given of [
    `https, 'https://evil.test/'`,
    `https, 'https://a.test:444/'`,
    `http, 'http://a.test/'`,
    `http, 'http://169.254.169.254/latest/meta-data'`,
    `https, 'https://a.test@evil.test/'`,
    `https, { host: 'a.test', hostname: 'evil.test' }`,
    `https, { host: 'a.test', path: '//evil.test/', hostname: 'evil.test' }`,
    `http, { host: 'localhost', port: 1 }`,
    `http, { host: '[::1]' }`,
  ]) {
    const code = body(`${ask} const https = require('https'), http = require('http')
      return { raw: await ask(${given}).then(() => 'sent', error => error.message) }`)
    t.equal(await open.raw(code), 'the request failed', given)
  }
})

t.test('requests of http count towards the limits of fetch', async t => {
  let open = 0
  let most = 0
  const answers: (() => void)[] = []
  const limited = openSandbox(t, {
    egress: async request => {
      most = Math.max(most, ++open)
      await new Promise<void>(resolve => answers.push(resolve))
      open--
      return echo(request)
    },
  })
  const code = body(`
    const https = require('https'), messages = []
    const asked = Array.from({ length: 25 }, () => new Promise(done => {
      https.get('https://a.test/', response => done(response.resume().statusCode)).on('error', error => { messages.push(error.message); done(0) })
    }))
    await Promise.all(asked.slice(20))
    console.log('refused')
    return { raw: [(await Promise.all(asked)).filter(status => status === 200).length, [...new Set(messages)]] }`)
  const raw = await limited.raw(code, {
    onConsole: () => {
      for (const answer of answers.splice(0)) answer()
    },
  })
  t.same(raw, [20, ['too many requests: at most 20 at once']])
  t.equal(most, 20)
})
