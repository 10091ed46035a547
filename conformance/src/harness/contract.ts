import { document } from './document.ts'
import type { Evidence, Profile } from './finding.ts'
import { Limits, type Schema } from './limits.ts'
import { Schemas } from './schemas.ts'
import type { Reply } from './target.ts'

/** An operation of the contract. */
export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly profile: Profile
  readonly hasBody: boolean
  /** The schema of its body, if it has one. */
  readonly body: Schema | undefined
  readonly query: Readonly<Record<string, Schema>>
  readonly responses: Readonly<Record<string, ResponseSpec>>
}

interface RequestSpec {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>
}

interface ParameterSpec {
  readonly $ref?: string
  readonly name?: string
  readonly in?: string
  readonly schema?: Schema
}

interface ResponseSpec {
  readonly $ref?: string
  readonly 'x-profile'?: Profile
  readonly content?: Readonly<Record<string, { readonly schema: unknown }>>
}

export interface Complaint extends Evidence {
  readonly profile: Profile
  readonly message: string
  /** Of a complaint about what holds for every response: only cases of this requirement fail because of it. */
  readonly requirement?: string
}

/** Checks responses against the contract: all of it, and the part that the core specification defines. */
export class Contract {
  readonly document: Readonly<Record<string, unknown>> = document
  readonly operations: readonly Operation[]
  /** Makes requests at and beyond the limits of the contract. */
  readonly limits: Limits
  readonly #patterns: readonly { readonly pattern: RegExp; readonly operation: Operation }[]
  readonly #schemas: Record<Profile | 'closed', Schemas>
  readonly #problem: unknown

  constructor() {
    this.#schemas = {
      core: new Schemas(document, 'core'),
      surrogate: new Schemas(document, 'surrogate'),
      closed: new Schemas(document, 'closed'),
    }
    this.limits = new Limits(pointer => this.#schemas.core.find(pointer))
    this.#problem = this.#schemas.core.find('#/components/schemas/Problem')
    this.operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => ['get', 'put', 'post', 'patch', 'delete'].includes(method))
        // Operations of our development servers and options are nothing that another implementation has.
        .filter(([, raw]) => isOfEveryServer(raw as Record<string, unknown>))
        .map(([method, raw]) => this.#operation(path, method, raw as Record<string, unknown>)),
    )
    // Paths without parameters first: `search` in `/tokens/search` is not a token id.
    this.#patterns = [...this.operations]
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length)
      .map(operation => ({
        operation,
        pattern: new RegExp(`^${operation.path.replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`),
      }))
  }

  #operation(path: string, method: string, raw: Record<string, unknown>): Operation {
    const responses = Object.entries(raw.responses as Record<string, ResponseSpec>).map(
      ([status, spec]) =>
        [
          status,
          spec.$ref === undefined ? spec : (this.#schemas.core.find(spec.$ref) as ResponseSpec),
        ] as const,
    )
    return {
      id: raw.operationId as string,
      method: method.toUpperCase(),
      path,
      profile: raw['x-profile'] === 'surrogate' ? 'surrogate' : 'core',
      hasBody: raw.requestBody !== undefined,
      body: Object.values((raw.requestBody as RequestSpec | undefined)?.content ?? {})[0]?.schema,
      query: this.#queryOf(raw.parameters as readonly ParameterSpec[] | undefined),
      responses: Object.fromEntries(responses),
    }
  }

  #queryOf(given: readonly ParameterSpec[] = []): Operation['query'] {
    const parameters = given.map(one =>
      one.$ref === undefined ? one : (this.#schemas.core.find(one.$ref) as ParameterSpec),
    )
    return Object.fromEntries(
      parameters.flatMap(({ name, in: place, schema }) =>
        place === 'query' && schema ? [[name, schema]] : [],
      ),
    )
  }

  operationOf(method: string, path: string): Operation | undefined {
    const [bare = ''] = path.split('?')
    const found = this.#patterns.find(
      one => one.operation.method === method && one.pattern.test(bare),
    )?.operation
    // A server may read `/applications/key` as a path of its own for every method.
    const isWord = this.operations.some(({ path: known }) => known === bare)
    return isWord && found?.path !== bare ? undefined : found
  }

  /** Returns how a response differs from the contract, independently of the case. */
  complaints(operation: Operation | undefined, reply: Reply, headerPrefix: string): Complaint[] {
    const found: Complaint[] = []
    const complain = (profile: Profile, message: string | undefined) => {
      if (message !== undefined) found.push({ profile, message: `${reply.status} ${message}` })
    }
    const { status } = reply
    // A formula may choose any status.
    const mayChoose = operation?.id === 'reactors.react'
    if (status < 200 || (status >= 300 && status < 400 && !mayChoose))
      complain('core', 'is neither a success nor an error')
    if (!reply.headers.get(`${headerPrefix}-TRACE-ID`)) {
      const message = `${status} has no ${headerPrefix}-TRACE-ID header`
      found.push({ profile: 'surrogate', message, requirement: 'WIR-501' })
    }
    if (!operation) {
      if (status >= 400) complain('surrogate', this.#problemComplaint(reply))
      return found
    }
    if (status >= 500 && !mayChoose) complain('core', 'is a server error')
    if (status >= 200 && status < 300) {
      const [success] = this.#successes(operation)
      if (success?.schema === undefined) {
        if (status === 204 && reply.text !== '') complain('core', 'has an unexpected body')
      } else if (!(mayChoose && (status !== 200 || isAsynchronous(reply))) && operation.profile === 'core') {
        if (reply.body === undefined) complain('core', 'has no JSON body')
        else complain('core', this.#schemas.core.complaint(success.schema, reply.body))
      }
    }
    complain('surrogate', this.#surrogateComplaint(operation, reply))
    return found
  }

  /** Returns which member of a response the contract does not name, if there is one. */
  unknownMember(method: string, path: string, { status, body }: Reply): string | undefined {
    const spec = this.operationOf(method, path)?.responses[status]
    const [content] = Object.values(spec?.content ?? {})
    return content === undefined ? undefined : this.#schemas.closed.complaint(content.schema, body)
  }

  #successes(operation: Operation) {
    return Object.entries(operation.responses)
      .filter(([status]) => /^2\d\d$/.test(status))
      .map(([status, spec]) => ({ status, schema: spec.content?.['application/json']?.schema }))
  }

  #surrogateComplaint(operation: Operation, reply: Reply): string | undefined {
    const spec = operation.responses[reply.status] ?? operation.responses.default
    if (!spec) return `is not a documented status of ${operation.id}`
    const type = (reply.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
    if (!spec.content) return reply.text === '' ? undefined : 'has an unexpected body'
    if (operation.responses.default) {
      if (bodiless.includes(reply.status)) return reply.text === '' ? undefined : 'has an unexpected body'
      // A formula may choose a body of JSON that is not a problem document.
      if (isOtherJson(type) && reply.status !== 200) return undefined
    }
    const content = spec.content[type ?? '']
    if (!content)
      return `has the content type ${type || '(none)'}, not ${Object.keys(spec.content).join(' or ')}`
    if (reply.body === undefined) return 'has a body that is not JSON'
    return this.#schemas.surrogate.complaint(content.schema, reply.body)
  }

  #problemComplaint(reply: Reply): string | undefined {
    if (!/^application\/problem\+json/i.test(reply.headers.get('content-type') ?? ''))
      return 'has a content type other than application/problem+json'
    return this.#schemas.surrogate.complaint(this.#problem, reply.body)
  }
}

/** True for a response to an invocation whose result is sent to a callback: any success means that it was accepted. */
function isAsynchronous({ exchange }: Reply): boolean {
  try {
    return 'callback_url' in JSON.parse(exchange?.requestBody ?? '')
  } catch {
    return false
  }
}

/** Responses with these statuses have no body (RFC 9110). */
const bodiless = [204, 205, 304]

/** True for the types of JSON that are not a problem document. */
const isOtherJson = (type = '') =>
  type !== 'application/problem+json' && /^application\/(.+\+)?json$/.test(type)

export const isOfEveryServer = (raw: Record<string, unknown>) =>
  raw['x-profile'] !== 'dev' && raw['x-option'] === undefined
