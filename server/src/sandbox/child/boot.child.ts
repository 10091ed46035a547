/**
 * The first code of a runner, passed on its command line: reads one frame from the socket, synchronously, and runs
 * the program in it. So a runner needs no files and can be denied all access to them.
 *
 * A `Script` without `importModuleDynamically` rejects every `import()`, even one that the filters missed.
 */
import { readSync } from 'node:fs'
import { Script } from 'node:vm'

// Node would open its debugger.
process.on('SIGUSR1', () => {})

const socket = 1

function read(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; ) {
    const count = readSync(socket, bytes, at, length - at, null)
    if (count === 0) process.exit(0)
    at += count
  }
  return bytes
}

const prefix = read(8)
const header = JSON.parse(read(prefix.readUInt32BE(0)).toString('utf8')) as { readonly parts: number[] }
const parts = header.parts.map(read)
const [program = Buffer.alloc(0), cachedData] = parts
const script = new Script(`(function (require, boot) {${program.toString('utf8')}\n})`, {
  filename: 'runner.js',
  ...(cachedData && cachedData.length > 0 ? { cachedData } : {}),
})
script.runInThisContext()(require, { header, parts: parts.slice(2), script })
