import { writeDurably } from '../../base/durable-file.ts'
import { isJsonObject } from '../../base/json/json.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { type FoundFile, filesIn } from '../../dev/leaks/files.ts'
import { Dev } from '../../generated/dev-client/index.ts'
import type { FlagValues } from '../../options/arguments.ts'
import { ConfigError } from '../../options/errors.ts'
import { type Flag, secretFlag, textFlag } from '../../options/flag.ts'
import { flags } from '../../options/program-table.ts'
import { type Command, formatCount } from './command.ts'

/** A development server could not be asked. The message is for the operator. */
class DevCommandError extends OperatorError {
  override readonly name = 'DevCommandError'
}

/** The flags of commands that ask a running development server. */
const devFlags: readonly Flag[] = [
  textFlag('url', 'URL', 'address of a server that was started with --dev', 'http://127.0.0.1:4000'),
  secretFlag('management-key', 'KEY', 'management key of the tenant'),
  ...flags.filter(({ name }) => name === 'dev-token' || name === 'header-prefix'),
]

/** @throws {ConfigError} */
function devOf(values: FlagValues): Dev {
  const managementKey = values['management-key'] as string | undefined
  if (managementKey === undefined) {
    throw new ConfigError('which tenant? Set --management-key, or SURROGATE_MANAGEMENT_KEY')
  }
  return new Dev({
    baseUrl: values.url as string,
    managementKey,
    token: values['dev-token'] as string | undefined,
    headerPrefix: values['header-prefix'] as string,
  })
}

function reasonOf(error: unknown): string {
  const { name, message, code, cause } = error as {
    name?: unknown
    message: string
    code?: unknown
    cause?: { code?: unknown }
  }
  if (name === 'DevError') return message
  const known = code ?? cause?.code
  return known === undefined ? 'the server did not respond' : String(known)
}

export const leaksCommand: Command = {
  name: 'leaks',
  summary: 'find values of a running test server in the logs, dumps and traffic of an application',
  flags: devFlags,
  operands: ['PATH…'],
  details: [
    'A path is a file, or a folder with all files in it; links are not followed.',
    'Prints a line FILE:LINE:COLUMN for each place, with the id of the token and no value.',
    'The exit code is 0 if nothing was found, 1 if something was, 2 if a file could not be searched, or nothing could be',
    'found: all files are empty, or the tenant has no value to search for.',
  ],
  async run({ values, operands, onProgress }) {
    const { leaks } = devOf(values)
    const lines: string[] = []
    let [files, length, searched, tooShort] = [0, 0, 0, 0]
    for (const path of operands) {
      for await (const { file, read } of readable(path)) {
        const options = { allowSilence: true }
        const report = await leaks.find(read(), options).catch(error => {
          throw new DevCommandError(`${file} could not be searched: ${reasonOf(error)}`)
        })
        const { places, values, skipped } = report
        length += report.searched
        for (const { line, column, tokenId, spelling } of places)
          lines.push(
            `${file}:${line}:${column} ${tokenId === undefined ? 'value of a request' : `token ${tokenId}`} (${spelling})`,
          )
        files++
        searched = values
        tooShort = skipped
      }
    }
    if (length === 0) throw new DevCommandError(`nothing was searched: ${operands.join(', ')} has no text`)
    if (searched === 0)
      throw new DevCommandError('the tenant has no value to search for: is it the right one?')
    if (tooShort > 0) onProgress(`${formatCount(tooShort)} values are too short to search for`)
    const summary = `${formatCount(lines.length)} places in ${formatCount(files)} files; ${formatCount(searched)} values were searched for`
    return { output: `${[...lines, summary].join('\n')}\n`, exitCode: lines.length === 0 ? 0 : 1 }
  },
}

/** @throws {DevCommandError} */
async function* readable(path: string): AsyncGenerator<FoundFile> {
  const files = filesIn(path)
  for (;;) {
    const next = await files.next().catch(error => {
      const isSystem = (error as NodeJS.ErrnoException).code !== undefined
      throw new DevCommandError(isSystem ? `${path} cannot be read` : `${path}: ${(error as Error).message}`)
    })
    if (next.done) return
    yield next.value
  }
}

const kinds = ['applications', 'formulas', 'reactors', 'tokens'] as const

export const exportCommand: Command = {
  name: 'export',
  summary: 'write a tenant of a running test server into a file for --bootstrap',
  flags: [
    ...devFlags,
    textFlag('values', 'KIND', 'plain, or placeholders of the same shape with new keys', 'placeholders'),
  ],
  operands: ['FILE'],
  details: [
    'Writes applications, formulas, reactors and tokens. FILE is replaced; only its owner may read it, as it holds keys.',
  ],
  async run({ values, operands: [file = ''] }) {
    const kind = values.values
    if (kind !== 'plain' && kind !== 'placeholders') {
      throw new ConfigError('--values must be plain or placeholders')
    }
    const { fixtures, new_keys: newKeys } = await devOf(values)
      .export({ values: kind })
      .catch(error => {
        throw new DevCommandError(`the tenant could not be exported: ${reasonOf(error)}`)
      })
    await writeDurably(file, `${JSON.stringify(fixtures, null, 2)}\n`).catch(() => {
      throw new ConfigError(`the file ${file} cannot be written`)
    })
    const lines = [`${file}: ${countsOf(fixtures)}`]
    if (newKeys.length > 0) lines.push(`new keys in the file: ${newKeys.join(', ')}`)
    return `${lines.join('\n')}\n`
  },
}

function countsOf(fixtures: unknown): string {
  const { tenants } = fixtures as { tenants: unknown[] }
  const [tenant] = tenants
  const lists = isJsonObject(tenant as never) ? (tenant as Record<string, unknown>) : {}
  return kinds.map(kind => `${formatCount((lists[kind] as unknown[]).length)} ${kind}`).join(', ')
}
