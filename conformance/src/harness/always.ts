import type { Complaint } from './contract.ts'
import { isObject, type Profile } from './finding.ts'
import type { Reply, Target } from './target.ts'
import type { HttpRequest } from './transport.ts'

/** A text that is long enough not to occur in an answer by chance. */
const telling = 12

/** The requirements of every response, which are judged once for a whole run. */
const requirements = {
  'AUT-014': 'core',
  'AUT-020': 'core',
  'ERR-001': 'core',
  'ERR-507': 'surrogate',
  'WIR-501': 'surrogate',
  'WIR-542': 'surrogate',
  'WIR-544': 'surrogate',
} satisfies Record<string, Profile>

export const isOfEveryResponse = (requirement: string) => Object.hasOwn(requirements, requirement)

/**
 * What holds for every response, whatever the case is about.
 *
 * @param stored data that earlier requests of the run stored
 */
export function alwaysComplaints(
  target: Target,
  request: HttpRequest,
  reply: Reply,
  isOfContract: boolean,
  stored: readonly StoredData[] = [],
): Complaint[] {
  const found: Complaint[] = []
  const complain = (requirement: keyof typeof requirements, message: string) =>
    found.push({ requirement, profile: requirements[requirement], message: `${reply.status} ${message}` })
  const prefix = target.headerPrefix.toLowerCase()
  const whole = `${[...reply.headers].flat().join('\n')}\n${reply.text}`
  const key = request.headers[`${prefix}-api-key`]
  const has = (secret: string | undefined) => secret && secret.length >= telling && whole.includes(secret)
  if (has(key)) complain('WIR-544', 'contains an API key')
  // A key may be a part of another one, as in requests with a key that is not quite right.
  if (secretsOf(target).some(secret => has(secret) && !key?.includes(secret ?? '')))
    complain('AUT-020', 'contains the API key of another caller')
  const isProblem = /^application\/problem\+json/i.test(reply.headers.get('content-type') ?? '')
  const { status = reply.status } = isProblem && isObject(reply.body) && reply.status >= 400 ? reply.body : {}
  if (status !== reply.status) complain('ERR-001', `is a problem whose status is ${status}`)
  const trace = request.headers[`${prefix}-trace-id`]
  if (trace !== undefined && isTrace(trace) && reply.headers.get(`${prefix}-trace-id`) !== trace)
    complain('WIR-501', 'does not have the trace id of its request')
  const caching = reply.headers.get('cache-control') ?? ''
  if (isOfContract && (!/\bno-store\b/i.test(caching) || /\b(public|max-age=[1-9])/i.test(caching)))
    complain('WIR-542', `may be cached: its Cache-Control is ${caching === '' ? 'missing' : caching}`)
  if (reply.status < 400 || reply.status >= 500) return found
  const { data, others } = textsOf(request)
  if (data.some(text => reply.text.includes(text) && !others.includes(text)))
    complain('ERR-507', 'is an error that repeats data of its request')
  if (
    key !== target.privateKey &&
    stored.some(one => one.isShownIn(reply.text, `${others}\n${data.join('\n')}`))
  )
    complain('AUT-014', 'is an error that shows the data of a token')
  return found
}

/** Data that requests stored, without texts that these requests have elsewhere, too, such as in an id. */
export class StoredData {
  readonly #data = new Set<string>()
  #others = ''

  add(request: HttpRequest): void {
    const { data, others } = textsOf(request)
    if (this.#others.length < most) this.#others += `\n${others}`
    for (const text of data) if (this.#data.size < most / 1000) this.#data.add(text)
  }

  /** @param said what the request itself contained, which a response may repeat */
  isShownIn(text: string, said: string): boolean {
    return [...this.#data].some(
      one => text.includes(one) && !this.#others.includes(one) && !said.includes(one),
    )
  }
}

/** Most characters of requests that are kept. */
const most = 1_000_000

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

/** Returns the telling texts and numbers in members `data` of a request that makes or changes tokens, and all others. */
function textsOf({ method, url, body }: HttpRequest): {
  readonly data: readonly string[]
  readonly others: string
} {
  const data: string[] = []
  let others = url
  const collect = (value: unknown, isData: boolean): void => {
    if (Array.isArray(value)) for (const item of value) collect(item, isData)
    else if (isObject(value))
      for (const [name, inner] of Object.entries(value)) collect(inner, isData || name === 'data')
    else if (!isData) others += `\n${value}`
    else if (String(value).length >= telling) data.push(String(value))
  }
  const isStoring = ['POST', 'PATCH'].includes(method) && /\/(tokens|tokenize)(\/[^/]*)?$/.test(url)
  if (!isStoring || typeof body !== 'string' || body.length > 10_000) return { data, others }
  try {
    collect(JSON.parse(body), false)
  } catch {
    // Not JSON.
  }
  return { data, others }
}
