import { generateKeyPairSync } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import { openReceiver, type Received } from '../../verify/support/receiver.ts'

const wsdl = `<?xml version="1.0"?><definitions name="Calc" targetNamespace="urn:calc" xmlns:tns="urn:calc" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns="http://schemas.xmlsoap.org/wsdl/"><types><xsd:schema targetNamespace="urn:calc" elementFormDefault="qualified"><xsd:element name="Add"><xsd:complexType><xsd:sequence><xsd:element name="a" type="xsd:int"/><xsd:element name="b" type="xsd:int"/></xsd:sequence></xsd:complexType></xsd:element><xsd:element name="AddResponse"><xsd:complexType><xsd:sequence><xsd:element name="sum" type="xsd:int"/></xsd:sequence></xsd:complexType></xsd:element></xsd:schema></types><message name="AddIn"><part name="p" element="tns:Add"/></message><message name="AddOut"><part name="p" element="tns:AddResponse"/></message><portType name="P"><operation name="Add"><input message="tns:AddIn"/><output message="tns:AddOut"/></operation></portType><binding name="B" type="tns:P"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Add"><soap:operation soapAction="urn:add"/><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation></binding><service name="S"><port name="P" binding="tns:B"><soap:address location="https://calc.test/calc"/></port></service></definitions>`

/** Origins of vendors, all of which the stand-in is. */
const origins = [
  'https://api-sandbox.dwolla.com',
  'https://api.sandbox.braintreegateway.com',
  'https://api.stripe.com',
  'https://api.twilio.com',
  'https://a.test',
  'https://bucket.s3.amazonaws.com',
  'https://bucket.s3.us-east-1.amazonaws.com',
  'https://calc.test',
  'https://checkout-test.adyen.com',
  'https://lambda.us-east-1.amazonaws.com',
]

type Answer = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>]
const xml = (body: string, headers = {}): Answer => [200, body, { 'content-type': 'text/xml', ...headers }]

/** Answers of the vendors, by the beginning of a path; else with what was sent. */
const answers: readonly (readonly [path: RegExp, answer: (sent: string) => Answer])[] = [
  [
    /^\/merchants\/.+\/transactions/,
    sent => {
      const { amount, credit_card: card } = JSON.parse(sent).transaction
      const made = `<transaction><id>bt1</id><status>authorized</status><amount>${amount}</amount><type>sale</type><processor-response-text>${card.number.slice(-4)}</processor-response-text></transaction>`
      const body = gzipSync(made)
      return [201, body, { 'content-type': 'application/xml', 'content-encoding': 'gzip' }]
    },
  ],
  [/^\/v1\/payment_intents$/, sent => [200, { id: 'pi_1', object: 'payment_intent', sent }]],
  [/\/payments$/, sent => [200, { pspReference: JSON.parse(sent).reference, resultCode: 'Authorised' }]],
  [
    /\/Messages\.json$/,
    sent => [201, { sid: 'SM1', status: 'queued', body: new URLSearchParams(sent).get('Body') }],
  ],
  [/^\/calc\.wsdl$/, () => xml(wsdl)],
  [
    /^\/calc$/,
    sent => {
      const numbers = [...sent.matchAll(/<(?:\w+:)?[ab]>(\d+)</g)].map(([, number]) => Number(number))
      const sum = numbers.reduce((a, b) => a + b, 0)
      return xml(
        `<?xml version="1.0"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><AddResponse xmlns="urn:calc"><sum>${sum}</sum></AddResponse></soap:Body></soap:Envelope>`,
      )
    },
  ],
  [/^\/2015-03-31\/functions/, sent => [200, { ran: JSON.parse(sent) }]],
  [/^\/redirect$/, () => [302, '', { location: 'https://a.test/echo' }]],
  [/^\/fail$/, () => [422, { error: 'bad' }]],
  [/^\/token$/, () => [200, { access_token: 'at', expires_in: 3600 }]],
]

function answer({ method, path: url, headers, body: bytes }: Received, response: ServerResponse): undefined {
  const sent = bytes.toString()
  const [path = ''] = url.split('?')
  const known = answers.find(([pattern]) => pattern.test(path))?.[1](sent)
  const stored: Answer = [200, '', { etag: `"${sent}"`, 'content-type': 'application/xml' }]
  const echoed: Answer = [200, { method, url, headers, body: sent }]
  const [status, body, more] = known ?? (path === '/k' ? stored : echoed)
  response.writeHead(status, { 'content-type': 'application/json', ...more })
  response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body))
}

/** A server that answers as vendors do, and the origins that lead to it. */
export async function openVendors(t: { teardown(task: () => unknown): void }) {
  const { origin } = await openReceiver(t, answer)
  return Object.fromEntries(origins.map(vendor => [vendor, origin]))
}

/** A certificate of a new key, and the key. */
export function certificate(moduleRoot: string): { readonly cert: string; readonly key: string } {
  const forge = createRequire(moduleRoot)('node-forge')
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const made = forge.pki.createCertificate()
  made.publicKey = forge.pki.publicKeyFromPem(publicKey)
  made.sign(forge.pki.privateKeyFromPem(privateKey), forge.md.sha256.create())
  return { cert: forge.pki.certificateToPem(made), key: privateKey }
}
