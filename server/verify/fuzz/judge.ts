import { keys } from './callers.ts'
import type { FuzzCase, FuzzRequest } from './case.ts'
import type { Response } from './connection.ts'
import type { Document } from './document.ts'
import { fromTarget } from './peers.ts'
import { canaryPattern } from './texts.ts'

/** The kinds of findings. */
type Fault =
  | 'server error'
  | 'undocumented status'
  | 'malformed response'
  | 'malformed problem'
  | 'sensitive value shown'
  | 'cacheable response'
  | 'reserved header'
  | 'planted original'
  | 'list shows what a read refuses'
  | 'open exchange'
  | 'unframed body'
  | 'unread responses'
  | 'no room for others'
  | 'no response'
  | 'stall'
  | 'memory'
  | 'server ended'
  | 'nothing accepted'

export interface Found {
  readonly fault: Fault
  readonly what: string
}

const problemMembers = ['type', 'title', 'status', 'detail', 'instance', 'errors', 'explanation']

/** Checks responses against the contract. */
export class Judge {
  readonly #document: Document
  readonly #types: ReadonlySet<string>

  constructor(document: Document) {
    this.#document = document
    this.#types = new Set(document.schema('Problem').properties?.type?.enum)
  }

  /** @param isMain false for a request that only prepares the case */
  faultsOf(one: FuzzCase, request: FuzzRequest, response: Response, isMain: boolean): Found[] {
    const { status, headers, body } = response
    const type = headers['content-type'] ?? ''
    const found: Found[] = []
    const add = (fault: Fault, what: string) => found.push({ fault, what })
    if (status >= 500 && !(one.byFormula && mayFail(response)))
      add('server error', `${status}: ${excerpt(body)}`)
    // A request that is not HTTP is refused without a problem document.
    if (status === 431 || status === 408 || (one.mayHangUp && status === 400 && body === '')) return found
    found.push(...this.#headerFaults(request, response))
    if (one.byFormula) return found
    if (isMain && !['wire', 'peer', 'unread'].includes(one.kind) && !this.#isDocumented(one, request, status))
      add('undocumented status', `${one.operation} responded with ${status}: ${excerpt(body)}`)
    if (request.method === 'HEAD') return found
    if (status >= 400) {
      if (!type.startsWith('application/problem+json'))
        add('malformed problem', `${status} with the content type "${type}"`)
      else found.push(...this.#problemFaults(response))
      if (isSecret(one, body)) add('sensitive value shown', `in a problem: ${excerpt(body)}`)
    } else if (type.startsWith('application/json') && readJson(body) === undefined)
      add('malformed response', `${status}: not JSON`)
    return found
  }

  /** Finds sensitive values in the server's log. */
  faultsOfLog(text: string): Found[] {
    const canary = canaryPattern.exec(text)?.[0]
    const key = Object.values(keys).find(one => text.includes(one))
    const shown = { "in the server's log": canary, "an API key in the server's log": key }
    return Object.entries(shown).flatMap(([where, part]) => {
      const line = part !== undefined && text.split('\n').find(one => one.includes(part))
      return line ? [{ fault: 'sensitive value shown' as const, what: `${where}: ${excerpt(line)}` }] : []
    })
  }

  /** What the contract says of the headers of every response, and of those of targets. */
  #headerFaults({ method, target }: FuzzRequest, { status, headers }: Response): Found[] {
    const found: Found[] = []
    if (headers['svc-trace-id'] === undefined)
      found.push({ fault: 'malformed response', what: `${status} without a trace id` })
    const { 'cache-control': caching, vary = '' } = headers
    const isOperation =
      /^\/proxy/.test(target) || this.#document.operations.some(({ path }) => leadsTo(path, target))
    if (isOperation && method !== 'OPTIONS' && (caching !== 'no-store' || !/svc-api-key/i.test(vary)))
      found.push({
        fault: 'cacheable response',
        what: `${status} with Cache-Control: ${caching}, Vary: ${vary}`,
      })
    const passed = Object.entries(headers).filter(([, value]) => value.includes(fromTarget))
    const reserved = passed.map(([name]) => name).filter(name => name !== 'x-kept')
    if (reserved.length > 0)
      found.push({ fault: 'reserved header', what: `passed on from a target: ${reserved.join(', ')}` })
    return found
  }

  #isDocumented(one: FuzzCase, { method, target }: FuzzRequest, status: number): boolean {
    const own = this.#document.operation(one.operation)
    if (own.statuses.has(String(status))) return true
    // A mutated path may lead to another operation or to none.
    const reached = this.#document.operations.filter(({ path }) => leadsTo(path, target))
    if (status === 404 || status === 405) return !reached.includes(own) || one.kind === 'mutated'
    return reached.some(other => other.method === method && other.statuses.has(String(status)))
  }

  #problemFaults({ status, body }: Response): Found[] {
    const problem = readJson(body)
    const errors = Object.values(problem?.errors ?? {})
    const wrong: Readonly<Record<string, boolean>> = {
      'not JSON': problem === undefined,
      'its status is another one': problem?.status !== status,
      'its type is not in the contract': !this.#types.has(problem?.type),
      'a member is not a text': ['title', 'detail', 'instance'].some(
        name => typeof problem?.[name] !== 'string',
      ),
      'it has a member that the contract does not name': Object.keys(problem ?? {}).some(
        name => !problemMembers.includes(name),
      ),
      'errors does not consist of lists of texts': !errors.every(
        list => Array.isArray(list) && list.every(one => typeof one === 'string'),
      ),
    }
    const [what] = Object.keys(wrong).filter(name => wrong[name])
    return what === undefined ? [] : [{ fault: 'malformed problem', what: `${what}: ${excerpt(body)}` }]
  }
}

/** True for a 5xx caused by a formula that throws or a target that does not respond, or that one of them chose. */
function mayFail({ headers, body }: Response): boolean {
  const isOurs = (headers['content-type'] ?? '').startsWith('application/problem+json')
  return !isOurs || /"urn:surrogate:error:(reactor_runtime|target_failed)"/.test(body)
}

const leadsTo = (path: string, target: string) =>
  new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`).test(target)

function isSecret({ secrets }: FuzzCase, body: string): boolean {
  const isShown = (one: string) => one.length >= 9 && body.includes(one)
  return canaryPattern.test(body) || [...secrets, ...Object.values(keys)].some(isShown)
}

/** Returns `undefined` for text that is not JSON. */
// biome-ignore lint/suspicious/noExplicitAny: a server may send any JSON
export function readJson(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const excerpt = (text: string) =>
  text.length > 600 ? `${text.slice(0, 600)} … (${text.length} characters)` : text
