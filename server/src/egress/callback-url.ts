import { limits } from '../generated/facts.ts'
import { isPublicAddress, literalAddress } from './addresses.ts'

export interface CallbackPolicy {
  /** Allows http and private addresses. */
  readonly allowPrivate: boolean
}

/**
 * Checks the text of a callback URL. Returns what is wrong with it, or `undefined`. The addresses of its name are
 * checked whenever something is sent to it.
 *
 * @example
 * checkCallbackUrl('https://hooks.example.org/done', { allowPrivate: false }) // undefined
 * checkCallbackUrl('https://10.0.0.1/', { allowPrivate: false }) // 'must not lead to a private address'
 */
export function checkCallbackUrl(text: string, { allowPrivate }: CallbackPolicy): string | undefined {
  if (text.length > limits.callbackUrlCharacters)
    return `must not be longer than ${limits.callbackUrlCharacters} characters`
  if (!URL.canParse(text)) return 'must be a URL'
  const url = new URL(text)
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:']
  if (!schemes.includes(url.protocol)) return allowPrivate ? 'must be https or http' : 'must be https'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (allowPrivate) return undefined
  const literal = literalAddress(url)
  const isPrivate = literal === undefined ? isLoopbackName(url.hostname) : !isPublicAddress(literal)
  return isPrivate ? 'must not lead to a private address' : undefined
}

/** True for names that always mean the local machine (RFC 6761). */
function isLoopbackName(hostname: string): boolean {
  return /(^|\.)localhost\.?$/.test(hostname)
}
