import { hmacBase64 } from '../crypto/digest.ts'

const secretPrefix = 'whsec_'

/**
 * Returns the headers of one attempt by the Standard Webhooks specification 1.0.0: `v1` is HMAC-SHA256 over id, timestamp and
 * body, joined by dots, with the decoded secret as key.
 *
 * @param secret `whsec_` and base64
 * @param atS epoch seconds of this attempt
 */
// Requirements: INV-513, INV-540
export function signedHeaders(
  secret: string,
  id: string,
  atS: number,
  body: Uint8Array,
): Record<string, string> {
  const key = Buffer.from(
    secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret,
    'base64',
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': String(atS),
    'webhook-signature': `v1,${hmacBase64(key, `${id}.${atS}.`, body)}`,
  }
}
