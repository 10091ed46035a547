import { createReadStream } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../base/operator-error.ts'
import { flags, textFlag } from '../config.ts'
import { ConfigError } from '../config-error.ts'
import { Dev, DevError } from '../generated/dev-client/index.ts'
import { type Command, formatCount } from './command.ts'

/** A development server could not be asked. The message is for the operator. */
class LeaksError extends OperatorError {
  override readonly name = 'LeaksError'
}

export const leaksCommand: Command = {
  name: 'leaks',
  summary: 'find values of a running test server in the logs, dumps and traffic of an application',
  flags: [
    textFlag('url', 'URL', 'address of a server that was started with --dev', 'http://127.0.0.1:4000'),
    textFlag('management-key', 'KEY', 'management key of the tenant whose values are searched for'),
    ...flags.filter(({ name }) => name === 'dev-token' || name === 'header-prefix'),
  ],
  operands: ['PATH…'],
  details: [
    'A path is a file, or a folder with all files in it; links are not followed.',
    'Prints a line FILE:LINE:COLUMN for each place, with the id of the token and no value.',
    'The exit code is 0 if nothing was found, 1 if something was, 2 if a file could not be searched.',
  ],
  async run({ values, operands, onProgress }) {
    const managementKey = values['management-key'] as string | undefined
    if (managementKey === undefined) {
      throw new ConfigError('which tenant? Set --management-key, or SURROGATE_MANAGEMENT_KEY')
    }
    const { leaks } = new Dev({
      baseUrl: values.url as string,
      managementKey,
      token: values['dev-token'] as string | undefined,
      headerPrefix: values['header-prefix'] as string,
    })
    const lines: string[] = []
    let [files, searched] = [0, 0]
    for (const path of operands) {
      for await (const file of filesIn(path)) {
        const { places, values, skipped } = await leaks.find(createReadStream(file)).catch(error => {
          throw new LeaksError(`${file} could not be searched: ${reasonOf(error)}`)
        })
        for (const { line, column, tokenId, spelling } of places)
          lines.push(`${file}:${line}:${column} token ${tokenId} (${spelling})`)
        files++
        searched = values
        if (files === 1 && skipped > 0)
          onProgress(`${formatCount(skipped)} values are too short to search for`)
      }
    }
    const summary = `${formatCount(lines.length)} places in ${formatCount(files)} files; ${formatCount(searched)} values were searched for`
    return { output: `${[...lines, summary].join('\n')}\n`, exitCode: lines.length === 0 ? 0 : 1 }
  },
}

/** @throws {LeaksError} */
async function* filesIn(path: string): AsyncGenerator<string> {
  const found = await lstat(path).catch(() => {
    throw new LeaksError(`${path} cannot be read`)
  })
  if (found.isFile()) yield path
  if (!found.isDirectory()) return
  for (const name of (await readdir(path)).sort()) yield* filesIn(join(path, name))
}

function reasonOf(error: unknown): string {
  if (error instanceof DevError) return error.message
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  const known = code ?? cause?.code
  return known === undefined ? 'the server did not respond' : String(known)
}
