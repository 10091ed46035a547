/** The program: runs the command and ends the process with its exit code. */
import { main } from './main.ts'

const code = await main(process.argv.slice(2), process.env)
// The run is over: open connections of the server under test must not keep the process alive.
process.stdout.write('', () => process.exit(code))
