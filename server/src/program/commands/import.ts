import { readFile } from 'node:fs/promises'
import { type Flag, textFlag } from '../config.ts'
import { ConfigError } from '../config-error.ts'
import { serverFlags } from './client/request.ts'
import type { Command } from './command.ts'

const ofCall = (flag: Flag): Flag => ({ ...flag, isOfCall: true })

const mostConcurrency = 32

export const importCommand: Command = {
  name: 'import',
  summary: 'create a token for each line of an NDJSON or CSV file; goes on where it was interrupted',
  flags: [
    ofCall(textFlag('template', 'JSON', 'of a CSV file: the request for a row, JSON or @FILE')),
    ofCall(
      textFlag('progress', 'FILE', 'which lines are done, without their data; FILE.progress by default'),
    ),
    ofCall(textFlag('concurrency', 'N', `requests at once, 1 to ${mostConcurrency}; 8 by default`)),
    ...serverFlags,
  ],
  operands: ['FILE'],
  details: [
    'A line of NDJSON is the body of a request to create a token. The first line of CSV names the columns, which the',
    'template refers to: {"type":"card","data":{"number":{"$column":"pan"},"expiration_month":{"$column":"month","as":"number"}}}',
    'Prints a line of JSON for each line of the file: the id of its token, or why it was refused, without its data.',
    'SURROGATE_KEY is the key of an application with token:create; it is never an argument.',
    'The exit code is 0 if all tokens were created, 1 if lines were refused or the key was, 2 if the command is not',
    'right, 3 if the server could not be reached. Run again within 24 hours, it creates no token twice.',
  ],
  async run({ values, operands: [file = ''], environment, print, onProgress }) {
    // Loaded here, as servers do not need it.
    const [{ clientOf }, { runImport }] = await Promise.all([
      import('./client/run.ts'),
      import('./import/run-import.ts'),
    ])
    const given = values.template as string | undefined
    const template = given?.startsWith('@') ? await readTemplate(given.slice(1)) : given
    const isCsv = /\.csv$/i.test(file)
    if (isCsv !== (template !== undefined)) {
      throw new ConfigError(
        isCsv ? 'a CSV file needs --template' : '--template is for files that end in .csv',
      )
    }
    const concurrency = Number(values.concurrency ?? 8)
    if (!Number.isSafeInteger(concurrency) || concurrency < 1 || concurrency > mostConcurrency) {
      throw new ConfigError(`--concurrency must be a whole number from 1 to ${mostConcurrency}`)
    }
    const progress = (values.progress as string | undefined) ?? `${file}.progress`
    const send = clientOf(values, environment)
    const exitCode = await runImport(send, { file, template, progress, concurrency, print, onProgress })
    return { output: '', exitCode }
  },
}

const readTemplate = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch(() => {
    throw new ConfigError(`the file ${path} of --template cannot be read`)
  })
