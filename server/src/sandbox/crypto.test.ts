import { createCipheriv, generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { program, testAlike } from './_alike.ts'
import { body, openSandbox } from './_fixture.ts'

const encodings = {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048, ...encodings })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256', ...encodings })
const locked = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'word' },
})
const keys = `const rsa = ${JSON.stringify(rsa)}, ec = ${JSON.stringify(ec)}, locked = ${JSON.stringify(locked)}, c = require('crypto');`

/** Bodies: each has the same result in Node, or throws in both. */
const ciphers = [
  ...['aes-128-cbc', 'AES-192-CBC', 'aes-256-cbc'].map(
    name =>
      `const c = require('crypto'), key = Buffer.alloc(${Number(/\d+/.exec(name)?.[0]) / 8}, 1), iv = Buffer.alloc(16, 2); const e = c.createCipheriv('${name}', key, iv); const text = e.update('é'.repeat(100), 'utf8', 'base64') + e.final('base64'); const d = c.createDecipheriv('${name}', key, iv); return [text, d.update(text, 'base64', 'utf8') + d.final('utf8')]`,
  ),
  ...['aes-128-gcm', 'aes-192-gcm', 'AES-256-GCM'].map(
    name =>
      `const c = require('crypto'), key = Buffer.alloc(${Number(/\d+/.exec(name)?.[0]) / 8}, 1), iv = Buffer.alloc(12, 2); const e = c.createCipheriv('${name}', key, iv).setAAD(Buffer.from('head')); const parts = [e.update('a€', 'utf8'), e.update(Buffer.from([0xe2])), e.final()]; const tag = e.getAuthTag(); const d = c.createDecipheriv('${name}', key, iv, { authTagLength: 16 }); d.setAAD(Buffer.from('head')); d.setAuthTag(tag); return [Buffer.concat(parts).toString('hex'), tag.toString('hex'), d.update(Buffer.concat(parts).toString('hex'), 'hex').toString('hex') + d.final('hex')]`,
  ),
  `const c = require('crypto'), key = c.createSecretKey(Buffer.alloc(16)); const e = c.createCipheriv('aes-128-cbc', key, 'i'.repeat(16)); e.setAutoPadding(false); return [e.update(Buffer.alloc(32)).toString('hex'), e.final().length]`,
  ...['base64', 'hex', 'utf8', 'latin1'].map(
    encoding =>
      `const c = require('crypto'), key = Buffer.alloc(16), iv = Buffer.alloc(16); const e = c.createCipheriv('aes-128-cbc', key, iv); const sealed = Buffer.concat([e.update('😀é€a'.repeat(9)), e.final()]); const d = c.createDecipheriv('aes-128-cbc', key, iv); let text = ''; for (const byte of sealed) text += d.update(Buffer.from([byte]), null, '${encoding}'); return text + d.final('${encoding}')`,
  ),
  `const c = require('crypto'); c.createCipheriv('aes-128-cbc', Buffer.alloc(15), Buffer.alloc(16))`,
  `const c = require('crypto'); c.createCipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(15))`,
  `const c = require('crypto'); c.createCipheriv('nope', Buffer.alloc(16), Buffer.alloc(16))`,
  `const c = require('crypto'); c.createDecipheriv('aes-128-gcm', Buffer.alloc(16), Buffer.alloc(12)).setAuthTag(Buffer.alloc(3))`,
  `const c = require('crypto'), d = c.createDecipheriv('aes-128-gcm', Buffer.alloc(16), Buffer.alloc(12)); d.setAuthTag(Buffer.alloc(16)); d.update('a'); d.final()`,
  `const c = require('crypto'), d = c.createDecipheriv('aes-128-gcm', Buffer.alloc(16), Buffer.alloc(12)); d.update('a'); d.final()`,
  `const c = require('crypto'), d = c.createDecipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16)); d.update(Buffer.alloc(15)); d.final()`,
  `const c = require('crypto'), e = c.createCipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16)); e.final(); e.update('a')`,
  `const c = require('crypto'), e = c.createCipheriv('aes-128-gcm', Buffer.alloc(16), Buffer.alloc(12)); e.getAuthTag()`,
  `const c = require('crypto'); c.createCipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16)).update({})`,
]

const asymmetric = [
  `const made = c.createSign('RSA-SHA256').update('a').update(Buffer.from('b')).sign(rsa.privateKey, 'base64'); return [made, c.createVerify('sha256').update('ab').verify(rsa.publicKey, made, 'base64'), c.createVerify('SHA256').update('ac').verify(rsa.publicKey, made, 'base64')]`,
  `const made = c.createSign('RSA-SHA512').update('a').sign(c.createPrivateKey(rsa.privateKey)); const { privateKey: pem } = rsa; return [made.toString('hex'), c.createVerify('RSA-SHA512').update('a').verify(c.createPublicKey(pem), made), c.createVerify('RSA-SHA512').update('a').verify(pem, made)]`,
  `const options = { key: rsa.privateKey, padding: c.constants.RSA_PKCS1_PSS_PADDING, saltLength: c.constants.RSA_PSS_SALTLEN_DIGEST }; const made = c.createSign('RSA-SHA384').update('a').sign(options); const check = more => c.createVerify('RSA-SHA384').update('a').verify({ key: rsa.publicKey, padding: 6, ...more }, made); return [made.length, check({}), check({ saltLength: -1 }), check({ padding: 1 }), check({ saltLength: 1 })]`,
  `const made = c.createSign('sha256').update('a').sign({ key: ec.privateKey, dsaEncoding: 'ieee-p1363' }); const check = more => c.createVerify('sha256').update('a').verify({ key: ec.publicKey, ...more }, made); return [made.length, check({ dsaEncoding: 'ieee-p1363' }), check({})]`,
  `c.createSign('sha256').update('a').sign(rsa.publicKey)`,
  `c.createSign('nope')`,
  `c.createSign('sha256').update('a').sign(c.createSecretKey(Buffer.from('a')))`,
  `return c.createVerify('sha256').update('a').verify(rsa.publicKey, 'nothing', 'hex')`,
  `c.createVerify('sha256').update('a').verify('no key', Buffer.alloc(1))`,
  `for (const options of [{}, { padding: c.constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }, { oaepHash: 'SHA512' }]) { const sealed = c.publicEncrypt({ key: rsa.publicKey, ...options }, Buffer.from('pan')); if (c.privateDecrypt({ key: rsa.privateKey, ...options }, sealed).toString() !== 'pan') return 'no' } return [c.publicEncrypt(rsa.publicKey, Buffer.from('a')).length, c.privateDecrypt(rsa.privateKey, c.publicEncrypt(c.createPublicKey(rsa.privateKey), 'text')).toString()]`,
  `c.publicEncrypt(rsa.publicKey, Buffer.alloc(300))`,
  `c.privateDecrypt({ key: rsa.privateKey, oaepHash: 'sha256' }, c.publicEncrypt(rsa.publicKey, Buffer.from('a')))`,
  `c.privateDecrypt(rsa.publicKey, Buffer.alloc(256))`,
  `c.publicEncrypt(ec.publicKey, Buffer.from('a'))`,
  `const key = c.createPrivateKey(rsa.privateKey), own = c.createPublicKey(key); return [key.type, own.type, key.asymmetricKeyType, own.asymmetricKeyDetails.modulusLength, String(own.asymmetricKeyDetails.publicExponent), key instanceof c.KeyObject, own.export({ type: 'spki', format: 'pem' }), own.export({ type: 'pkcs1', format: 'der' }).toString('hex'), key.export({ format: 'jwk' }), own.equals(c.createPublicKey(rsa.publicKey)), own.equals(key)]`,
  `const { asymmetricKeyType: type, asymmetricKeyDetails: { namedCurve } } = c.createPublicKey(ec.publicKey); return [type, namedCurve, c.createPublicKey({ key: c.createPublicKey(ec.publicKey).export({ format: 'jwk' }), format: 'jwk' }).export({ format: 'pem', type: 'spki' })]`,
  `const key = c.createPrivateKey({ key: locked.privateKey, passphrase: 'word' }); return [key.type, c.createPublicKey(key).export({ type: 'pkcs1', format: 'pem' }) === locked.publicKey, c.createPrivateKey({ key: key.export({ format: 'der', type: 'pkcs8' }), format: 'der', type: 'pkcs8' }).equals(key)]`,
  `c.createPrivateKey({ key: locked.privateKey, passphrase: 'other' })`,
  `c.createPrivateKey(locked.privateKey)`,
  `c.createPrivateKey(c.createPublicKey(rsa.publicKey))`,
  `c.createPublicKey(c.createSecretKey(Buffer.from('a')))`,
  `c.createHmac('sha256', c.createPublicKey(rsa.publicKey))`,
  `c.createCipheriv('aes-128-cbc', c.createPublicKey(rsa.publicKey), Buffer.alloc(16))`,
  `new c.KeyObject('secret', Buffer.from('a'))`,
  `const secret = c.createSecretKey(Buffer.from('a')); return [secret.equals(c.createPublicKey(rsa.publicKey)), c.createPublicKey(rsa.publicKey).equals(secret)]`,
]

const sandbox = openSandbox(t, { limits: { runsPerProcess: 10_000 } })
testAlike(sandbox, ciphers)
testAlike(
  sandbox,
  asymmetric.map(code => program(`{ ${keys} ${code} }`)),
)

t.test('keys and data beyond their bounds are refused, and so are tags that can be guessed', async t => {
  const key = Buffer.alloc(16)
  const cipher = createCipheriv('aes-128-gcm', key, Buffer.alloc(12), { authTagLength: 4 })
  cipher.final()
  const tag = cipher.getAuthTag().toString('hex')
  const threw = (code: string) =>
    sandbox.raw(
      body(`${keys} try { ${code}; return { raw: 'done' } } catch (e) { return { raw: e.message } }`),
    )
  const big = 'Buffer.alloc(16 * 1024 * 1024 + 1)'
  for (const [code, says] of [
    [
      `const d = c.createDecipheriv('aes-128-gcm', Buffer.alloc(16), Buffer.alloc(12)); d.setAuthTag(Buffer.from('${tag}', 'hex')); d.final()`,
      /a tag of 12 to 16 bytes/,
    ],
    [
      `c.createDecipheriv('aes-128-gcm', Buffer.alloc(16), Buffer.alloc(12), { authTagLength: 4 })`,
      /not a cipher/,
    ],
    [`c.createCipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16)).update(${big})`, /at most 16 MiB/],
    [
      `const e = c.createCipheriv('aes-128-gcm', Buffer.alloc(16), Buffer.alloc(12)); for (let i = 0; i < 17; i++) e.update(Buffer.alloc(1024 * 1024))`,
      /at most 16 MiB/,
    ],
    [`c.createCipheriv('aes-128-gcm', Buffer.alloc(16), Buffer.alloc(2000))`, /not a cipher/],
    [`c.createCipheriv('des-ede3-cbc', Buffer.alloc(24), Buffer.alloc(8))`, /ciphers: aes-128-cbc/],
    [`c.createSign('sha256').update(${big}).sign(rsa.privateKey)`, /at most 16 MiB/],
    [`c.createSign('md5')`, /unknown algorithm/],
    [
      `c.publicEncrypt({ key: rsa.publicKey, padding: c.constants.RSA_NO_PADDING }, Buffer.alloc(256))`,
      /does not encrypt/,
    ],
    [`c.createPublicKey(rsa.publicKey + ' '.repeat(70000))`, /not a public key/],
    [`c.createPublicKey({ key: Buffer.alloc(70000), format: 'der', type: 'spki' })`, /not a public key/],
    [`c.createPrivateKey({ key: locked.privateKey, passphrase: Buffer.alloc(2000) })`, /not a private key/],
  ] as const) {
    t.match(await threw(code), says, code)
  }
  t.equal(
    await threw(
      `const d = c.createDecipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16)); d.update(Buffer.alloc(16))`,
    ),
    'done',
    'the control',
  )
})
