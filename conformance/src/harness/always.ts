import type { Complaint } from './contract.ts'
import { isObject } from './finding.ts'
import type { Reply, Target } from './target.ts'
import type { HttpRequest } from './transport.ts'

/** A text that is long enough not to occur in an answer by chance. */
const telling = 12

/** What holds for every response, whatever the case is about. */
export function alwaysComplaints(
  target: Target,
  request: HttpRequest,
  reply: Reply,
  isOfContract: boolean,
): Complaint[] {
  const found: Complaint[] = []
  const complain = (message: string) =>
    found.push({ profile: 'surrogate', message: `${reply.status} ${message}` })
  const prefix = target.headerPrefix.toLowerCase()
  const whole = `${[...reply.headers].flat().join('\n')}\n${reply.text}`
  const key = request.headers[`${prefix}-api-key`]
  for (const secret of new Set([key, ...secretsOf(target)]))
    if (secret && secret.length >= telling && whole.includes(secret))
      complain('contains an API key (WIR-544)')
  const isProblem = /^application\/problem\+json/i.test(reply.headers.get('content-type') ?? '')
  if (isProblem && isObject(reply.body) && reply.status >= 400 && reply.body.status !== reply.status)
    complain(`is a problem whose status is ${reply.body.status} (ERR-514)`)
  const trace = request.headers[`${prefix}-trace-id`]
  if (trace !== undefined && isTrace(trace) && reply.headers.get(`${prefix}-trace-id`) !== trace)
    complain('does not have the trace id of its request (WIR-501)')
  const caching = reply.headers.get('cache-control') ?? ''
  if (isOfContract && (!/\bno-store\b/i.test(caching) || /\b(public|max-age=[1-9])/i.test(caching)))
    complain(`may be cached: its Cache-Control is ${caching === '' ? 'missing' : caching} (WIR-542)`)
  if (reply.status >= 400 && reply.status < 500)
    for (const text of sensitive(request))
      if (reply.text.includes(text)) {
        complain('is an error that repeats data of its request (ERR-507)')
        break
      }
  return found
}

function secretsOf(target: Target): (string | undefined)[] {
  const { privateKey, publicKey, managementKey, otherPrivateKey, otherManagementKey, webhookSecret } = target
  const { maskedKey, redactedKey, limitedKey } = target
  return [
    ...[privateKey, publicKey, managementKey, otherPrivateKey, otherManagementKey, webhookSecret],
    ...[maskedKey, redactedKey, limitedKey],
  ]
}

/** A trace id that a server takes over: printable, of a usual length. */
const isTrace = (text: string) => /^[\x21-\x7e]{1,100}$/.test(text)

/** Texts and numbers of the members `data` of a request that makes or changes tokens, unless they are elsewhere in it. */
function sensitive({ method, url, body }: HttpRequest): string[] {
  if (!['POST', 'PATCH'].includes(method) || !/\/(tokens|tokenize)(\/[^/]*)?$/.test(url)) return []
  if (typeof body !== 'string' || body.length > 10_000) return []
  const texts: string[] = []
  let others = url
  const collect = (value: unknown, isData: boolean): void => {
    if (Array.isArray(value)) for (const item of value) collect(item, isData)
    else if (isObject(value))
      for (const [name, inner] of Object.entries(value)) collect(inner, isData || name === 'data')
    else if (isData) texts.push(String(value))
    else others += `\n${value}`
  }
  try {
    collect(JSON.parse(body), false)
  } catch {
    // Not JSON.
  }
  return texts.filter(text => text.length >= telling && !others.includes(text))
}
