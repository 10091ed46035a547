import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Public packages that formulas use, each with one real task. They are installed by `.ci/run`, as they take 440 MB:
 * `npm ci --prefix server/verify/support/formula-packages`.
 */
export const moduleRoot = fileURLToPath(new URL('../../verify/support/formula-packages/', import.meta.url))
/** Tests are skipped without the packages. */
const isInstalled = existsSync(`${moduleRoot}node_modules/braintree`)
export const options = isInstalled
  ? {}
  : { skip: 'the packages are not installed: npm ci --prefix server/verify/support/formula-packages' }

const secret = 'QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE'
const charge = (name: string) => `
  const Stripe = require('${name}')
  const client = new Stripe('sk_test')
  const made = await client.charges.create({ amount: 5, currency: 'usd' })
  return [made.sent.method, made.sent.url, made.sent.body]
  // => ["POST","https://api.stripe.com/v1/charges","amount=5&currency=usd"]`

const useOfAxios = `
  const axios = require('axios')
  const { status, data } = await axios.post('https://a.test/x', { a: 1 }, { headers: { 'x-k': 'v' }, params: { p: 'q' } })
  const form = await axios.post('https://a.test', new URLSearchParams({ a: 'b' }))
  const error = await axios.get('https://a.test/404').catch(error => error)
  return [status, data.sent.url, data.sent.body, data.sent.headers['x-k'], form.data.sent.body, error.isAxiosError, error.response.status]`
const sentByAxios = [200, 'https://a.test/x?p=q', '{"a":1}', 'v', 'a=b', true, 404]

/** Bodies by module, and what they return behind the arrow. */
export const tasks: Readonly<Record<string, string>> = {
  'node-fetch-2': `const fetch = require('node-fetch-2'); return (await (await fetch('https://a.test/x')).json()).sent.url // => "https://a.test/x"`,
  'node-fetch': `const { default: fetch, Headers } = require('node-fetch'); return (await (await fetch('https://a.test/x', { headers: new Headers({ a: 'b' }) })).json()).sent.headers.a // => "b"`,
  axios: `${useOfAxios} // => ${JSON.stringify(sentByAxios)}`,
  'stripe-14': charge('stripe-14'),
  stripe: charge('stripe'),
  'node-forge': `const forge = require('node-forge'); const c = forge.cipher.createCipher('AES-CBC', '0123456789abcdef'); c.start({ iv: '0123456789abcdef' }); c.update(forge.util.createBuffer('hi')); c.finish(); return c.output.toHex() // => "8177acf5e22572f77561fd0115ca5a94"`,
  'node-jose': `const { JWK, JWS } = require('node-jose'); const key = await JWK.asKey({ kty: 'oct', k: '${secret}' }); const signed = await JWS.createSign({ format: 'compact' }, key).update('hello').final(); return (await JWS.createVerify(key).verify(signed)).payload.toString() // => "hello"`,
  jose: `const { SignJWT, jwtVerify } = require('jose'); const key = Buffer.from('${secret}', 'base64'); const signed = await new SignJWT({ a: 1 }).setProtectedHeader({ alg: 'HS256' }).sign(key); return (await jwtVerify(signed, key)).payload // => {"a":1}`,
  uuid: `const { v4, v5, validate } = require('uuid'); return [validate(v4()), v5('a', v5.URL)] // => [true,"e1407479-3136-56c0-9908-bb02fb0339e2"]`,
  lodash: `return require('lodash').groupBy([1, 2, 3], n => n % 2) // => {"0":[2],"1":[1,3]}`,
  dayjs: `return require('dayjs')('2020-01-31').add(1, 'month').format('YYYY-MM-DD') // => "2020-02-29"`,
  'date-fns': `const { addMonths, format } = require('date-fns'); return format(addMonths(new Date(2020, 0, 31), 1), 'yyyy-MM-dd') // => "2020-02-29"`,
  'json-stable-stringify': `return require('json-stable-stringify')({ b: 1, a: [2, { d: 1, c: 2 }] }) // => "{\\"a\\":[2,{\\"c\\":2,\\"d\\":1}],\\"b\\":1}"`,
  'csv-parse': `const { parse } = require('csv-parse'); const parser = parse({ columns: true }), rows = []; parser.on('readable', () => { let row; while ((row = parser.read()) !== null) rows.push(row) }); await new Promise((done, fail) => { parser.on('end', done); parser.on('error', fail); parser.write('a,b\\n1,2\\n'); parser.end('3,4\\n') }); return rows // => [{"a":"1","b":"2"},{"a":"3","b":"4"}]`,
  'pdf-lib': `const { PDFDocument } = require('pdf-lib'); const made = await PDFDocument.create(); made.addPage([100, 100]).drawText('hi'); return Buffer.from(await made.save()).toString('latin1', 0, 5) // => "%PDF-"`,
  pdfkit: `const PDFDocument = require('pdfkit'); PDFDocument.registerStdFonts(require('pdfkit/standard-fonts/Helvetica')); const made = new PDFDocument(), pieces = []; made.on('data', piece => pieces.push(piece)); const ended = new Promise(done => made.on('end', done)); made.text('hi'); made.end(); await ended; return Buffer.concat(pieces).toString('latin1', 0, 5) // => "%PDF-"`,
  'crypto-js': `const C = require('crypto-js'); return [C.SHA256('a').toString().slice(0, 8), C.AES.decrypt(C.AES.encrypt('hi', 'key').toString(), 'key').toString(C.enc.Utf8)] // => ["ca978112","hi"]`,
  'fast-xml-parser': `const { XMLParser } = require('fast-xml-parser'); return new XMLParser().parse('<a><b>1</b></a>') // => {"a":{"b":1}}`,
  jsonwebtoken: `const { sign, verify } = require('jsonwebtoken'); const signed = sign({ a: 1 }, args.privateKey, { algorithm: 'RS256', noTimestamp: true })
    let forged; try { verify(sign({ a: 2 }, args.publicKey, { algorithm: 'HS256' }), args.publicKey) } catch (error) { forged = error.name }
    return [verify(sign({ a: 1 }, 'secret', { noTimestamp: true }), 'secret'), signed.split('.').length, verify(signed, args.publicKey), forged] // => [{"a":1},3,{"a":1},"JsonWebTokenError"]`,
  jszip: `const Zip = require('jszip'); const zip = new Zip(); zip.file('a', 'hi'); return (await Zip.loadAsync(await zip.generateAsync({ type: 'uint8array' }))).file('a').async('string') // => "hi"`,
  luxon: `const { DateTime } = require('luxon'); return DateTime.fromISO('2020-01-31', { zone: 'utc' }).plus({ months: 1 }).toISODate() // => "2020-02-29"`,
  moment: `return require('moment').utc('2020-01-31').add(1, 'month').format('YYYY-MM-DD') // => "2020-02-29"`,
  nanoid: `return require('nanoid').nanoid().length // => 21`,
  openpgp: `const { createMessage, encrypt, readMessage, decrypt } = require('openpgp'); const armoredMessage = await encrypt({ message: await createMessage({ text: 'hello' }), passwords: ['a'] }); return (await decrypt({ message: await readMessage({ armoredMessage }), passwords: ['a'] })).data // => "hello"`,
  plaid: `const { Configuration, PlaidApi } = require('plaid'); const api = new PlaidApi(new Configuration({ basePath: 'https://a.test' })); return (await api.itemGet({ access_token: 'a' })).data.sent.body // => "{\\"access_token\\":\\"a\\"}"`,
  zod: `const { z } = require('zod'); return z.object({ a: z.coerce.number() }).parse({ a: '1' }) // => {"a":1}`,
  xmlbuilder2: `return require('xmlbuilder2').create({ version: '1.0' }).ele('a', { b: '1' }).txt('é & <').end() // => "<?xml version=\\"1.0\\"?><a b=\\"1\\">é &amp; &lt;</a>"`,
  'xmlbuilder2-3': `return require('xmlbuilder2-3').create({ version: '1.0' }).ele('a', { b: '1' }).txt('é & <').end() // => "<?xml version=\\"1.0\\"?><a b=\\"1\\">é &amp; &lt;</a>"`,
}

/** Returns the answer behind the arrow. */
export const answerOf = (code: string): unknown => JSON.parse(code.split('// => ')[1] ?? '')

/** Returns a formula with this body, which answers with what the body throws. */
export const attempt = (code: string) => `module.exports = async ({ args }) => {
  try {
    return { raw: await (async () => { ${code}\n })() }
  } catch (error) {
    return { raw: String(error.stack || error.message || error) }
  }
}`
