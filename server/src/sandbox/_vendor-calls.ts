const axios = (name: string) => `const axios = require('${name}')
  const { status, data } = await axios.post('https://a.test/echo?x=1', { a: 1 }, { params: { y: 2 }, headers: { 'x-k': 'v' } })
  const error = await axios.get('https://a.test/fail').catch(error => error)
  const moved = await axios.get('https://a.test/redirect')
  const blocked = await axios.get('https://evil.test/').catch(error => error)
  return [status, data.body, data.url, data.headers['x-k'], error.response.status, error.isAxiosError, moved.data.url, blocked.message]
  // => [200,"{\\"a\\":1}","/echo?x=1&y=2","v",422,true,"/echo","the request failed"]`
const stripe = (name: string) => `const stripe = require('${name}')('sk_test_1')
  const { id, sent } = await stripe.paymentIntents.create({ amount: 100, currency: 'usd' })
  return [id, sent] // => ["pi_1","amount=100&currency=usd"]`
const credentials = `region: 'us-east-1', accessKeyId: 'a', secretAccessKey: 'b'`

/** Modules with bodies, and what they return behind the arrow. */
export const vendors: Readonly<Record<string, string>> = {
  '@adyen/api-library': `const { Client, CheckoutAPI } = require('@adyen/api-library')
    const checkout = new CheckoutAPI(new Client({ apiKey: 'k', username: 'u', password: 'p', environment: 'TEST' }))
    const request = { reference: 'r1', amount: { currency: 'EUR', value: 1 }, merchantAccount: 'M', paymentMethod: { type: 'scheme' }, returnUrl: 'https://a.test' }
    const made = await (checkout.PaymentsApi ?? checkout).payments(request)
    return [made.pspReference, made.resultCode] // => ["r1","Authorised"]`,
  '@aws-sdk/client-s3': `const { S3Client, PutObjectCommand } = require('@aws-sdk/client-s3')
    const s3 = new S3Client({ region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } })
    const made = await s3.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'k', Body: 'text' }))
    return [made.ETag, made.$metadata.httpStatusCode] // => ["\\"text\\"",200]`,
  'aws-sdk/clients/s3': `const S3 = require('aws-sdk/clients/s3')
    return (await new S3({ ${credentials} }).putObject({ Bucket: 'bucket', Key: 'k', Body: 'text' }).promise()).ETag // => "\\"text\\""`,
  'aws-sdk=./aws.cjs': `const AWS = require('aws-sdk')
    const { Payload } = await new AWS.Lambda({ ${credentials} }).invoke({ FunctionName: 'f', Payload: '{"a":1}' }).promise()
    const { ETag } = await new AWS.S3({ ${credentials} }).putObject({ Bucket: 'bucket', Key: 'k', Body: 'text' }).promise()
    return [JSON.parse(Payload), ETag] // => [{"ran":{"a":1}},"\\"text\\""]`,
  'axios-0': axios('axios-0'),
  'axios-1-6': axios('axios-1-6'),
  braintree: `const braintree = require('braintree')
    const gateway = new braintree.BraintreeGateway({ environment: braintree.Environment.Sandbox, merchantId: 'm', publicKey: 'p', privateKey: 'k' })
    const { success, transaction } = await gateway.transaction.sale({ amount: '10.00', creditCard: { number: '4111111111111111', expirationDate: '08/2031' } })
    return [success, transaction.id, transaction.amount, transaction.processorResponseText] // => [true,"bt1","10.00","1111"]`,
  'dwolla-v2': `const { Client } = require('dwolla-v2')
    const { status, body } = await new Client({ key: 'k', secret: 's', environment: 'sandbox' }).get('customers')
    return [status, body.url, body.headers.authorization] // => [200,"/customers","Bearer at"]`,
  exceljs: `const { Workbook } = require('exceljs'); const book = new Workbook(); book.addWorksheet('s').addRow([1, 'two'])
    const again = new Workbook(); await again.xlsx.load(await book.xlsx.writeBuffer())
    return again.getWorksheet('s').getRow(1).values.filter(Boolean) // => [1,"two"]`,
  got: `const got = require('got'); const made = await got.post('https://a.test/echo', { json: { a: 1 } }).json()
    const error = await got('https://a.test/fail', { retry: 0 }).catch(error => error)
    return [made.body, error.response.statusCode, (await got('https://a.test/redirect').json()).url] // => ["{\\"a\\":1}",422,"/echo"]`,
  'mastercard-client-encryption': `const fs = require('fs'), mastercard = require('mastercard-client-encryption')
    fs.writeFileSync('/cert.pem', args.cert); fs.writeFileSync('/key.pem', args.key)
    const paths = [{ path: '/x', toEncrypt: [{ element: 'a', obj: 'b' }], toDecrypt: [{ element: 'b', obj: 'a' }] }]
    const given = { paths, encryptionCertificate: '/cert.pem', privateKey: '/key.pem', encryptedValueFieldName: 'sealed', publicKeyFingerprintType: 'certificate', dataEncoding: 'base64' }
    const jwe = new mastercard.JweEncryption({ ...given, mode: 'JWE' })
    const sealed = jwe.encrypt('/x', {}, { a: { pan: '4111' } }).body
    const opened = jwe.decrypt({ request: { url: '/x' }, body: JSON.parse(JSON.stringify(sealed)) })
    const fields = new mastercard.FieldLevelEncryption({ ...given, ivFieldName: 'iv', oaepHashingAlgorithmFieldName: 'oaep', encryptedKeyFieldName: 'key', publicKeyFingerprintFieldName: 'print', oaepPaddingDigestAlgorithm: 'SHA-256' })
    const hidden = fields.encrypt('/x', {}, { a: { pan: '5555' } }).body
    return [JSON.stringify(sealed).includes('4111'), sealed.b.sealed.split('.').length, opened.a.pan, hidden.b.sealed.length > 10, fields.decrypt({ request: { url: '/x' }, body: hidden }).a.pan]
    // => [false,5,"4111",true,"5555"]`,
  'pdfkit-0-13': `const Document = require('pdfkit-0-13'); const made = new Document(), pieces = []
    made.on('data', piece => pieces.push(piece)); const ended = new Promise(done => made.on('end', done))
    made.text('hi'); made.end(); await ended
    return Buffer.concat(pieces).toString('latin1', 0, 5) // => "%PDF-"`,
  request: `const request = require('request')
    return new Promise((done, fail) => request.post({ url: 'https://a.test/echo', json: { a: 1 } }, (error, response, body) => (error ? fail(error) : done([response.statusCode, body.body])))) // => [200,"{\\"a\\":1}"]`,
  soap: `const client = await require('soap').createClientAsync('https://calc.test/calc.wsdl')
    return (await client.AddAsync({ a: 1, b: 2 }))[0] // => {"sum":3}`,
  ssh2: `const { Client } = require('ssh2')
    try { new Client().connect({ host: 'a.test', username: 'u', password: 'p' }) } catch (error) { return error.message } // => "formulas have no sockets: new net.Socket is not available; use fetch, http or https"`,
  'stripe-8': stripe('stripe-8'),
  superagent: `const agent = require('superagent'); const { body } = await agent.post('https://a.test/echo').set('x-k', 'v').send({ a: 1 })
    const error = await agent.get('https://a.test/fail').catch(error => error)
    return [body.body, body.headers['x-k'], error.status] // => ["{\\"a\\":1}","v",422]`,
  twilio: `const client = require('twilio')('AC' + '0'.repeat(32), 'token')
    const { sid, status, body } = await client.messages.create({ to: '+15005550006', from: '+15005550006', body: 'hi' })
    return [sid, status, body] // => ["SM1","queued","hi"]`,
}
