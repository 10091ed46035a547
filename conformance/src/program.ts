/** The program: runs the command and ends the process with its exit code. */
import { main } from './main.ts'
import { exitCodes } from './verdict.ts'

// Nobody reads on, as in `surrogate-conformance | head`, or nothing can be written: a report that is cut off says nothing.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code !== 'EPIPE')
    process.stderr.write(`surrogate-conformance: standard output cannot be written (${code})\n`)
  process.exit(exitCodes.incomplete)
})
process.stderr.on('error', () => {})

const code = await main(process.argv.slice(2), process.env)
// The run is over: open connections of the server under test must not keep the process alive.
process.stdout.write('', error => {
  // What could not be written is an error of the stream, too.
  if (!error) process.exit(code)
})
