import { isJsonObject, type JsonValue } from '../base/json.ts'
import { createSandbox } from './create.ts'
import { outcomeStatus } from './outcome-status.ts'
import type { ConsoleLine, Outcome, ServiceTransport } from './sandbox.ts'

/** Who answers the formula's client. The formula gets the real client; only its requests end here. */
export interface FormulaService {
  /** Gets each request with the address `http://svc/…`: a vault's `fetch`, or a function of the test. */
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * Put into the header that carries the key. Its rights decide what the client reaches; a server refuses a formula
   * all but `tokens.*`, `tokenize`, `detokenize` and `reactors.react` besides.
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
  /** Packages that the formula may require, found from the working directory. */
  readonly modules?: readonly string[]
  /** Real milliseconds that the formula may run. Default 10,000. */
  readonly timeoutMs?: number
  /** The short name in header names. Default `SVC`. */
  readonly headerPrefix?: string
}

export interface FormulaRun {
  readonly outcome: Outcome
  /** With which an invocation over HTTP would answer. */
  readonly status: number
  /** What the formula printed. */
  readonly console: readonly ConsoleLine[]
}

/**
 * Runs a formula as a server would: the same sandbox, limits and classes of errors, in a process of its own
 * that is gone afterwards. For the unit tests of whoever writes formulas. Nothing is detokenized or cast
 * before, and nothing tokenized after: `args` are what the formula gets, `outcome` is what it gave.
 *
 * @throws {TypeError} for options that cannot be right; never for what the code does
 * @throws {FormulaModuleRefused} for a module that cannot be bundled
 * @example
 * const { outcome } = await runFormula('module.exports = async req => ({ raw: req.args.n + 1 })', { args: { n: 1 } })
 * outcome // { kind: 'answered', raw: 2 }
 *
 * @example
 * // with a client that reaches a vault in this process, by the rights of this key
 * const vault = createVault()
 * const { privateKey } = await vault.createTenant()
 * await runFormula(code, { svc: { fetch: vault.fetch, apiKey: privateKey } })
 */
export async function runFormula(code: string, options: FormulaOptions = {}): Promise<FormulaRun> {
  const {
    args = {},
    configuration = {},
    svc = null,
    modules = [],
    timeoutMs = 10_000,
    headerPrefix = 'SVC',
  } = options
  if (typeof code !== 'string') throw new TypeError('the code of a formula is text')
  if (!isJsonObject(configuration)) throw new TypeError('configuration is an object of names and values')
  if (!(timeoutMs > 0 && timeoutMs <= 210_000)) throw new TypeError('timeoutMs is a number up to 210000')
  const printed: ConsoleLine[] = []
  const sandbox = createSandbox({ headerPrefix, modules, limits: { spares: 0 } })
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
    })
    return { outcome, status: outcomeStatus(outcome), console: printed }
  } finally {
    await sandbox.close()
  }
}

/** As it will arrive: a test that passes a Date or a function should see what becomes of it here. */
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
