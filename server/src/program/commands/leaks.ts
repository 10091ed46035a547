import { type FoundFile, filesIn } from '../../dev/leaks/files.ts'
import { type Command, formatCount } from './command.ts'
import { DevCommandError, devFlags, devOf, reasonOf } from './dev-server.ts'

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
