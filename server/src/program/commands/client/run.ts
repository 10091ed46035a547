import type { JsonValue } from '../../../base/json/json.ts'
import { didYouMean } from '../../../base/near-names.ts'
import { OperatorError } from '../../../base/operator-error.ts'
import { APIError, SurrogateError } from '../../../generated/client/errors.ts'
import { explainLost } from '../../../generated/client/explain-lost.ts'
import { createSend, type Send } from '../../../generated/client/transport.ts'
import { type Environment, type FlagValues, readFlags } from '../../config.ts'
import { ConfigError } from '../../config-error.ts'
import type { CommandResult } from '../command.ts'
import { helpOf, helpOfGroup } from './help.ts'
import { type ClientOperation, operandsOf, operationsNamed } from './operations.ts'
import { bodyOf, flagsOf, type Input, queryOf } from './request.ts'
import { showJson, showTable } from './show.ts'

const exitOfRefusal = 1
const exitOfLostServer = 3

const keyVariable = 'SURROGATE_KEY'

interface Terminal {
  readonly environment: Environment
  readonly input: Input
  /** The width of the terminal, if there is one. */
  readonly columns?: number | undefined
  /** Prints a line about a failure. */
  readonly onProgress: (line: string) => void
}

/** Runs a command of the client, such as `tokens get ID`. Resolves with what to print. @throws {OperatorError} */
export async function runClient(
  word: string,
  argv: readonly string[],
  terminal: Terminal,
): Promise<CommandResult> {
  const named = operationsNamed(word)
  const [only] = named
  const isAlone = only?.words.length === 1
  const verb = isAlone ? undefined : argv[0]
  if (!isAlone && (verb === undefined || verb === '--help'))
    return { output: helpOfGroup(word, named), exitCode: 0 }
  const operation = isAlone ? only : named.find(({ words }) => words[1] === verb)
  if (!operation) {
    const verbs = named.map(({ words }) => words[1] ?? '')
    const near = didYouMean(verb ?? '', verbs) || `; there are ${verbs.join(', ')}`
    throw new ConfigError(`${word} has no such operation${near}`)
  }
  const rest = isAlone ? argv : argv.slice(1)
  const given = readFlags(
    flagsOf(operation),
    rest,
    terminal.environment,
    operandsOf(operation),
    operation.words,
  )
  if (given.values.help === true) return { output: helpOf(operation), exitCode: 0 }
  return send(operation, given, terminal)
}

async function send(
  operation: ClientOperation,
  { values, operands }: ReturnType<typeof readFlags>,
  { environment, input, columns, onProgress }: Terminal,
): Promise<CommandResult> {
  const client = clientOf(values, environment)
  const query = queryOf(operation, values)
  if ('follow' in query)
    throw new ConfigError('use surrogate-server logs --follow, which prints lines as they come')
  const body = await bodyOf(operation, values, input)
  const ids = Object.fromEntries(operation.ids.map((name, index) => [name, operands[index]]))
  try {
    const options = {
      traceId: values['trace-id'] as string | undefined,
      idempotencyKey: values['idempotency-key'] as string | undefined,
    }
    // The table of operations is the same; their types differ by name.
    const call = client as (sending: string, request: object, options: object) => ReturnType<Send>
    const { data, traceId } = await call(operation.sending, { ...ids, query, body }, options).withResponse()
    if (data === undefined) onProgress(`done, trace id ${traceId}`)
    const shown = data as JsonValue | undefined
    return { output: values.json === true ? showJson(shown) : showTable(shown, columns), exitCode: 0 }
  } catch (error) {
    const { exitCode, body } = reportFailure(error, onProgress)
    return { output: values.json === true && body !== undefined ? showJson(body) : '', exitCode }
  }
}

/** Returns a function that sends requests with the key of the environment. @throws {OperatorError} */
export function clientOf(values: FlagValues, environment: Environment): Send {
  const apiKey = environment[keyVariable]
  if (!apiKey) throw new ConfigError(`there is no API key: set ${keyVariable} to the key of an application`)
  try {
    return createSend({
      apiKey,
      baseUrl: values.url as string,
      headerPrefix: values['header-prefix'] as string,
      explain: explainLost,
    })
  } catch (error) {
    throw usable(error)
  }
}

/** Prints why a request failed. Returns the exit code, and the body of a refusal. @throws {OperatorError} */
export function reportFailure(
  error: unknown,
  onProgress: Terminal['onProgress'],
): { readonly exitCode: number; readonly body?: JsonValue } {
  if (!(error instanceof SurrogateError)) throw usable(error)
  const trace = error.traceId === undefined ? '' : `, trace id ${error.traceId}`
  onProgress(`surrogate-server: ${error.message}${trace}`)
  if (!(error instanceof APIError)) return { exitCode: exitOfLostServer }
  return { exitCode: exitOfRefusal, body: error.body as JsonValue }
}

/** A `TypeError` of the client is about an argument of the command. */
const usable = (error: unknown) => (error instanceof TypeError ? new OperatorError(error.message) : error)
