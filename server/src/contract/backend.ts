import { createRequire } from 'node:module'
import type { Ajv } from 'ajv'
import type { AjvCustomizer, OpenAPIRouter, OpenAPIValidator } from 'openapi-backend'
import { generatedFiles } from '../generated-files.ts'
import { type Check, createAjv, libraries } from './ajv.ts'
import type { Operation } from './contract.ts'
import { toOperation } from './operation.ts'

const require = createRequire(new URL('openapi-backend.cjs', generatedFiles))

/** Finds the operation of a method and path. */
export type Matcher = Pick<OpenAPIRouter, 'matchOperation'>

interface BackendOptions {
  /** Collects every error, with the schema that is broken; otherwise the first one ends the check. */
  readonly thorough: boolean
}

/** openapi-backend's router and validator of one document, as `npm run generate` prepares it. */
export class Backend {
  readonly router: OpenAPIRouter
  readonly #validator: OpenAPIValidator
  readonly #ajv: Ajv
  readonly #components: Readonly<Record<string, object>>
  readonly #added = new Set<string>()
  readonly #checks = new Map<string, Check>()

  constructor(definition: OpenAPIRouter['definition'], { thorough }: BackendOptions) {
    this.router = new libraries.OpenAPIRouter({ definition, ignoreTrailingSlashes: false })
    // It would make them again at each call.
    const operations = this.router.getOperations()
    this.router.getOperations = () => operations
    this.#ajv = createAjv({ thorough })
    this.#components = definition.components?.schemas ?? {}
    const shared = { compile: (schema: object) => this.#check(schema) }
    this.#validator = new libraries.OpenAPIValidator({
      definition,
      router: this.router,
      lazyCompileValidators: true,
      // One compiler for all operations, where openapi-backend makes several for each.
      customizeAjv: (() => shared) as unknown as AjvCustomizer,
    })
  }

  /** Returns the validators of an operation: one of its body, if it takes one, and one of its parameters. */
  ofRequest(id: string): readonly Check[] {
    return this.#validator.getRequestValidatorsForOperation(id) as readonly Check[]
  }

  /** @param status as the contract has it: a number or `default` */
  ofResponse(
    id: string,
    status: string,
  ): { readonly body?: Check | undefined; readonly headers?: Check | undefined } {
    return {
      body: this.#validator.getStatusBasedResponseValidatorForOperation(id)[status],
      headers: this.#validator.getResponseHeadersValidatorForOperation(id)[status]?.any,
    }
  }

  /** Returns the validator of a component schema. */
  ofSchema(name: string): Check | undefined {
    this.#add(name)
    return this.#ajv.getSchema(name)
  }

  /** Compiles a schema when it is first needed: openapi-backend asks for those of all responses at once. Equal schemas share one. */
  #check(schema: object): Check {
    const text = JSON.stringify(schema)
    const known = this.#checks.get(text)
    if (known) return known
    let compiled: Check | undefined
    const check: Check = value => {
      compiled ??= this.#compile(schema, text)
      const isValid = compiled(value)
      check.errors = compiled.errors
      return isValid
    }
    this.#checks.set(text, check)
    return check
  }

  #compile(schema: object, text: string): Check {
    this.#addReferences(text)
    return this.#ajv.compile(schema)
  }

  /** Adds the components that a schema refers to. To add all of them takes as long as to compile some. */
  #addReferences(text: string): void {
    for (const [, name = ''] of text.matchAll(/"\$ref":"(\w+)"/g)) this.#add(name)
  }

  #add(name: string): void {
    const schema = this.#components[name]
    if (!schema || this.#added.has(name)) return
    this.#added.add(name)
    this.#ajv.addSchema(schema, name)
    this.#addReferences(JSON.stringify(schema))
  }
}

const requests = () => require('./requests.json')
const closed = () => require('./closed.json')

/** Returns what `make` returns the first time. */
function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Each is made when it is first needed, and serves all vaults of the process. */
export const backends = {
  /** Stops at the first error: enough for a request that is as it should be. */
  requests: once(() => new Backend(requests(), { thorough: false })),
  /** Finds all errors of a request that is refused. */
  refusals: once(() => new Backend(requests(), { thorough: true })),
  /** Of responses, and of requests to `/_dev`: a member that the contract does not name is an error. */
  closed: once(() => new Backend(closed(), { thorough: true })),
}

const isDev = ({ id }: Operation) => id.startsWith('dev.')

/** Returns every operation of the contract. */
export const readOperations = once((): readonly Operation[] =>
  backends.requests().router.getOperations().map(toOperation),
)

/** Returns the operations of development servers, `/_dev/*`. */
export const readDevOperations = once((): readonly Operation[] =>
  backends.closed().router.getOperations().map(toOperation).filter(isDev),
)
