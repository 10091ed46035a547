import { readFile } from 'node:fs/promises'
import { isJsonObject, JsonError, type JsonValue, parseJson } from '../../base/json/json.ts'
import { decodeText } from '../../base/utf8.ts'
import { headerPrefix } from '../../generated/facts.ts'
import { ConfigError } from '../../options/errors.ts'
import { textFlag } from '../../options/flag.ts'
import { flags } from '../../options/program-table.ts'
import { runFormula } from '../../run-formula.ts'
import type { Thrown } from '../../sandbox/protocol/messages.ts'
import type { Command } from './command.ts'

export const runFormulaCommand: Command = {
  name: 'run-formula',
  summary: 'run the code in a file as a reactor would, and print its result',
  flags: [
    textFlag('args', 'JSON', 'args of the formula', '{}'),
    textFlag('configuration', 'JSON', 'configuration of the formula, an object', '{}'),
    ...flags.filter(({ name }) =>
      ['formula-module', 'formula-client', 'header-prefix', 'profile'].includes(name),
    ),
  ],
  operands: ['FILE'],
  details: [
    'Uses the sandbox and limits of a server; svc is null, and no data is touched.',
    'Output of the formula goes to standard error. A failure shows its message and the lines in FILE.',
    'The exit code is 0 for an answer, 1 if the formula fails or refuses, 2 if it could not be run.',
  ],
  async run({ values, operands: [file = ''] }) {
    const bytes = await readFile(file).catch(() => {
      throw new ConfigError(`the file ${file} cannot be read`)
    })
    const code = decodeText(bytes, `the file ${file}`)
    const configuration = readJson(values.configuration as string, '--configuration')
    if (!isJsonObject(configuration)) throw new ConfigError('--configuration must be a JSON object')
    const given = (name: string) => values[name] as string | undefined
    // The default does not count more than the profile.
    const prefix = given('header-prefix')
    const run = await runFormula(code, {
      args: readJson(values.args as string, '--args'),
      configuration,
      modules: (values['formula-module'] ?? []) as readonly string[],
      ...optional('profile', given('profile')),
      ...optional('client', given('formula-client')),
      ...optional('headerPrefix', prefix === headerPrefix ? undefined : prefix),
    })
    for (const { level, text } of run.console) process.stderr.write(`${level}: ${text}\n`)
    const { kind, ...rest } = run.outcome
    // An answer is printed as it is, and any other outcome with its status.
    const shown = kind === 'answered' ? rest : { status: run.status, kind, ...placedIn(file, rest) }
    const exitCode = kind === 'answered' || kind === 'custom' ? 0 : 1
    return { output: `${JSON.stringify(shown, null, 2)}\n`, exitCode }
  },
}

/** Puts the name of the file into the stack, so that terminals and editors find the line. */
function placedIn<T extends object>(file: string, outcome: T & { readonly thrown?: Thrown }): T {
  const { thrown } = outcome
  if (!thrown) return outcome
  const stack = thrown.stack.map(line => line.replace(/formula\.js(?=:\d+:\d+\)?$)/, () => file))
  return { ...outcome, thrown: { ...thrown, stack } }
}

function optional<Name extends string>(name: Name, value: string | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: string }
}

function readJson(text: string, name: string): JsonValue {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new ConfigError(`${name} ${error.message} (at character ${error.offset})`)
  }
}
