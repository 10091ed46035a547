import { isPublicAddress, literalAddress } from './addresses.ts'

export interface CallbackPolicy {
  /** Whether http and private addresses are allowed. */
  readonly allowPrivate: boolean
}

const longestUrl = 2048

/**
 * What is wrong with a callback URL, as far as its text tells; `undefined` where nothing is. What the name in
 * it stands for is checked whenever something is sent there.
 *
 * @example
 * checkCallbackUrl('https://hooks.example.org/done', { allowPrivate: false }) // undefined
 * checkCallbackUrl('https://10.0.0.1/', { allowPrivate: false }) // 'must not name a private address'
 */
export function checkCallbackUrl(text: string, { allowPrivate }: CallbackPolicy): string | undefined {
  if (text.length > longestUrl) return `must not be longer than ${longestUrl} characters`
  if (!URL.canParse(text)) return 'must be a URL'
  const url = new URL(text)
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:']
  if (!schemes.includes(url.protocol)) return allowPrivate ? 'must be https or http' : 'must be https'
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password'
  if (allowPrivate) return undefined
  const literal = literalAddress(url)
  const isPrivate = literal === undefined ? isLoopbackName(url.hostname) : !isPublicAddress(literal)
  return isPrivate ? 'must not name a private address' : undefined
}

/** Names that mean this machine wherever they are resolved (RFC 6761). */
function isLoopbackName(hostname: string): boolean {
  return /(^|\.)localhost\.?$/.test(hostname)
}
