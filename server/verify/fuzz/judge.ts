import { keys } from './callers.ts'
import type { FuzzCase, FuzzRequest } from './case.ts'
import type { Response } from './connection.ts'
import type { Document } from './document.ts'
import { canaryPattern } from './generate.ts'

/** The kinds of findings. */
type Fault =
  | 'server error'
  | 'undocumented status'
  | 'malformed response'
  | 'malformed problem'
  | 'sensitive value shown'
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
    const { byFormula } = one
    const type = headers['content-type'] ?? ''
    const isProblem = type.startsWith('application/problem+json')
    const found: Found[] = []
    const add = (fault: Fault, what: string) => found.push({ fault, what })
    if (status >= 500 && !(byFormula && this.#mayFail(response)))
      add('server error', `${status}: ${excerpt(body)}`)
    // A request that is not HTTP is refused without a problem document.
    const isBare = status === 431 || status === 408 || (one.mayHangUp && status === 400 && body === '')
    if (isBare || byFormula) return found
    if (headers['svc-trace-id'] === undefined) add('malformed response', `${status} without a trace id`)
    if (isMain && one.kind !== 'wire' && !this.#isDocumented(one, request, status)) {
      add('undocumented status', `${one.operation} responded with ${status}: ${excerpt(body)}`)
    }
    if (status >= 400 && request.method !== 'HEAD') {
      if (!isProblem) add('malformed problem', `${status} with the content type "${type}"`)
      else found.push(...this.#problemFaults(response))
      found.push(...shown(one, body))
    } else if (
      type.startsWith('application/json') &&
      request.method !== 'HEAD' &&
      readJson(body) === undefined
    ) {
      add('malformed response', `${status}: not JSON`)
    }
    return found
  }

  /** Finds sensitive values in the server's log. */
  faultsOfLog(text: string): Found[] {
    const found = canaryPattern.exec(text)
    const key = Object.values(keys).find(one => text.includes(one))
    return [
      ...(found
        ? [
            {
              fault: 'sensitive value shown' as const,
              what: `in the server's log: ${lineAt(text, found[0])}`,
            },
          ]
        : []),
      ...(key === undefined
        ? []
        : [
            {
              fault: 'sensitive value shown' as const,
              what: `an API key in the server's log: ${lineAt(text, key)}`,
            },
          ]),
    ]
  }

  /** True for a 500 caused by a formula that throws, or a status that a formula chose. */
  #mayFail({ headers, body }: Response): boolean {
    const isOurs = (headers['content-type'] ?? '').startsWith('application/problem+json')
    return !isOurs || body.includes('"urn:surrogate:error:reactor_runtime"')
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
    const wrong = (what: string): Found[] => [
      { fault: 'malformed problem', what: `${what}: ${excerpt(body)}` },
    ]
    const problem = readJson(body)
    if (problem === undefined) return wrong('not JSON')
    if (problem.status !== status) return wrong(`its status is not ${status}`)
    if (!this.#types.has(problem.type)) return wrong('its type is not in the contract')
    for (const name of ['title', 'detail', 'instance'])
      if (typeof problem[name] !== 'string') return wrong(`${name} is not a text`)
    const more = Object.keys(problem).find(name => !problemMembers.includes(name))
    if (more !== undefined) return wrong('it has a member that the contract does not name')
    const errors = Object.values(problem.errors ?? {})
    return errors.every(list => Array.isArray(list) && list.every(text => typeof text === 'string'))
      ? []
      : wrong('errors does not consist of lists of texts')
  }
}

const leadsTo = (path: string, target: string) =>
  new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`).test(target)

function shown({ secrets }: FuzzCase, body: string): Found[] {
  const canary = canaryPattern.exec(body)?.[0]
  const secret =
    secrets.find(one => one.length >= 9 && body.includes(one)) ??
    canary ??
    Object.values(keys).find(one => body.includes(one))
  return secret === undefined
    ? []
    : [{ fault: 'sensitive value shown', what: `in a problem: ${excerpt(body)}` }]
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

function lineAt(text: string, part: string): string {
  const at = text.indexOf(part)
  return excerpt(
    text.slice(text.lastIndexOf('\n', at) + 1, (text.indexOf('\n', at) + 1 || text.length + 1) - 1),
  )
}
