import { cardNumber } from './cards.ts'
import { maskingKey, privateKey } from './server-process.ts'

/** A kind of request that every measured server gets. */
export interface Operation {
  readonly name: OperationName
  readonly key: string
  /** True if it writes, so that its writes must be counted for the ceiling. */
  readonly writes: boolean
  /** True if it makes sense to compare with a mock server. */
  readonly prism: boolean
}

export const operationNames = [
  'create',
  'create indexed',
  'get masked',
  'get revealed',
  'patch',
  'list page',
] as const
export type OperationName = (typeof operationNames)[number]

/**
 * Creates of cards, and of social security numbers with their three default search indexes; reads that mask, and
 * reads that reveal and write to the audit log; an update of metadata; a page of 20 masked tokens with the total.
 */
export const operations: readonly Operation[] = [
  { name: 'create', key: privateKey, writes: true, prism: true },
  { name: 'create indexed', key: privateKey, writes: true, prism: false },
  { name: 'get masked', key: maskingKey, writes: false, prism: true },
  { name: 'get revealed', key: privateKey, writes: true, prism: true },
  { name: 'patch', key: privateKey, writes: true, prism: false },
  { name: 'list page', key: maskingKey, writes: false, prism: false },
]

/** Returns the n-th request of an operation, on an existing token. `headers` must end with a line break. */
export function requestOf(
  operation: OperationName,
  headers: string,
  n: number,
  id: string,
  cvc: boolean,
): string {
  switch (operation) {
    case 'create': {
      // A new card each time: equal ones would share their index entries.
      const code = cvc ? ',"cvc":"123"' : ''
      const data = `{"number":"${cardNumber(n)}","expiration_month":12,"expiration_year":2030${code}}`
      return send('POST', '/tokens', headers, `{"type":"card","data":${data},${metadata(n)}}`)
    }
    case 'create indexed': {
      const digits = String(n % 1e9).padStart(9, '0')
      const data = `${digits.slice(0, 3)}-${digits.slice(3, 5)}-${digits.slice(5)}`
      return send(
        'POST',
        '/tokens',
        headers,
        `{"type":"social_security_number","data":"${data}",${metadata(n)}}`,
      )
    }
    case 'get masked':
    case 'get revealed':
      return `GET /tokens/${id} HTTP/1.1\r\n${headers}\r\n`
    case 'patch':
      return send('PATCH', `/tokens/${id}`, headers, `{${metadata(n)}}`)
    case 'list page':
      return `GET /tokens HTTP/1.1\r\n${headers}\r\n`
  }
}

const metadata = (n: number) => `"metadata":{"customer":"${n % 1000}"}`

function send(method: 'POST' | 'PATCH', path: string, headers: string, body: string): string {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  // Makes Prism return this status instead of the first success in the contract; other servers ignore it.
  const prefer = method === 'POST' ? 'Prefer: code=201\r\n' : ''
  return `${method} ${path} HTTP/1.1\r\n${headers}${prefer}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}
