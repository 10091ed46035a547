import { isJsonObject, type JsonValue } from './base/json/json.ts'
import { unknownName } from './base/near-names.ts'
import { requireCodeGeneration } from './contract/code-generation.ts'
import { headerPrefix as contractHeaderPrefix, limits } from './generated/facts.ts'
import { withProfile } from './options/profile.ts'
import { FormulaSandbox } from './sandbox/formula-sandbox.ts'
import { userCacheFolder } from './sandbox/modules/bundle-cache.ts'
import { type ConsoleLine, type Outcome, outcomeStatus, type ServiceTransport } from './sandbox/sandbox.ts'

/** Performs the requests of the formula's client, which is the real client. */
export interface FormulaService {
  /** Called with each request, whose URL is `http://svc/…`: a vault's `fetch`, or a function of the test. */
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * The API key for the requests. Its permissions decide what the client may do. A server also refuses all operations
   * but `tokens.*`, `tokenize`, `detokenize` and `reactors.react`.
   */
  readonly apiKey?: string
}

export interface FormulaOptions {
  /** Default `{}`. */
  readonly args?: JsonValue
  /** Default `{}`. */
  readonly configuration?: Readonly<Record<string, JsonValue>>
  /** Default `null`, as for a reactor without an application: `req.svc` is `null`. */
  readonly svc?: FormulaService | null
  /** A file with the modules, the client and the header prefix that code for another service expects. */
  readonly profile?: string
  /** Packages that the formula may require, resolved from the working directory; added to those of the profile. */
  readonly modules?: readonly string[]
  /** A file that exports a function of the client, whose result the formula gets instead. Default: that of the profile. */
  readonly client?: string
  /** Time limit of the formula in real milliseconds. Default 10,000. */
  readonly timeoutMs?: number
  /** The short name in header names. Default: that of the profile, or `SVC`. */
  readonly headerPrefix?: string
}

export interface FormulaRun {
  readonly outcome: Outcome
  /** The status that an invocation over HTTP would have. */
  readonly status: number
  /** The lines that the formula printed. */
  readonly console: readonly ConsoleLine[]
}

const names = [
  'args',
  'configuration',
  'svc',
  'profile',
  'modules',
  'client',
  'timeoutMs',
  'headerPrefix',
] as const satisfies (keyof FormulaOptions)[]

/**
 * Runs a formula as a server does: with the same sandbox, limits and error classes, in a separate process that ends
 * afterwards. For unit tests of formulas. Nothing is detokenized or cast before, and nothing is tokenized after: the
 * formula gets `args` unchanged, and `outcome` is its result.
 *
 * @throws {TypeError} for options that are unknown or not valid; never because of the code
 * @throws {ProfileError} for a profile that cannot be used
 * @throws {FormulaModuleRefused} for a module that cannot be bundled
 * @throws {CodeGenerationForbidden} if Node runs with `--disallow-code-generation-from-strings`
 * @example
 * const { outcome } = await runFormula('module.exports = async req => ({ raw: req.args.n + 1 })', { args: { n: 1 } })
 * outcome // { kind: 'answered', raw: 2 }
 *
 * @example
 * // with a client for a vault in this process, with the permissions of this key
 * const vault = createVault()
 * const { privateKey } = await vault.createTenant()
 * await runFormula(code, { svc: { fetch: vault.fetch, apiKey: privateKey } })
 */
export async function runFormula(code: string, options: FormulaOptions = {}): Promise<FormulaRun> {
  const { args = {}, configuration = {}, svc = null, timeoutMs = limits.formulaTime } = options
  requireCodeGeneration()
  const unknown = unknownName(options, names)
  if (unknown !== undefined) throw new TypeError(unknown)
  if (typeof code !== 'string') throw new TypeError('code must be a string')
  if (!isJsonObject(configuration)) throw new TypeError('configuration must be an object of names and values')
  if (!(timeoutMs > 0 && timeoutMs <= 210_000)) {
    throw new TypeError('timeoutMs must be a number above 0 and up to 210000')
  }
  const {
    formulaModules,
    formulaClient,
    headerPrefix = contractHeaderPrefix,
  } = withProfile({
    profile: options.profile,
    formulaModules: options.modules,
    formulaClient: options.client,
    headerPrefix: options.headerPrefix,
  })
  const printed: ConsoleLine[] = []
  const sandbox = new FormulaSandbox({
    headerPrefix,
    modules: formulaModules ?? [],
    moduleCache: userCacheFolder(),
    limits: { spares: 0 },
    ...(formulaClient === undefined ? {} : { client: formulaClient }),
  })
  try {
    const outcome = await sandbox.run({
      tenant: 'author',
      code,
      args: asJson(args, 'args'),
      configuration: asJson(configuration, 'configuration'),
      svc: svc && transport(svc, headerPrefix),
      timeoutMs,
      lane: 'sync',
      depth: 0,
      onConsole: line => printed.push(line),
      explains: true,
    })
    return { outcome, status: outcomeStatus(outcome), console: printed }
  } finally {
    await sandbox.close()
  }
}

/** Returns the value as it arrives in a server, after JSON: a Date becomes text, a function disappears. */
function asJson<T>(value: T, name: string): T {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    throw new TypeError(`${name} must be JSON`)
  }
}

function transport({ fetch, apiKey }: FormulaService, headerPrefix: string): ServiceTransport {
  return async ({ method, path, headers, body }) => {
    const key: Record<string, string> = apiKey === undefined ? {} : { [`${headerPrefix}-API-KEY`]: apiKey }
    const init = {
      method,
      headers: { ...headers, ...key },
      ...(body ? { body: body as Uint8Array<ArrayBuffer> } : {}),
    }
    const response = await fetch(new Request(`http://svc${path}`, init))
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: new Uint8Array(await response.arrayBuffer()),
    }
  }
}
