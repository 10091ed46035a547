#!/usr/bin/env node
import module from 'node:module'
import { fileURLToPath } from 'node:url'

// Node would open its debugger, through which anybody on this machine could read the master key.
process.on('SIGUSR1', () => {})
// A server reloads, as soon as it can. A command ends with its terminal.
if (!/^[a-z]/.test(process.argv[2] || '-')) process.on('SIGHUP', () => {})

// Parses on old versions of Node, so that they can say what is missing: no top-level `await`, no new syntax.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`surrogate-server needs Node 20.19 or later; this is ${process.version}\n`)
  process.exitCode = 2
} else {
  // Node 22 and later keep compiled code here: a later start takes a tenth less. It lies beside the code and not in the
  // system's temporary folder, where another user could put compiled code of their own.
  if (module.enableCompileCache) {
    module.enableCompileCache(fileURLToPath(new URL('../.compile-cache', import.meta.url)))
  }
  import('../dist/main.js')
    .then(({ main }) => main(process.argv.slice(2), process.env))
    .then(code => {
      process.exitCode = code
    })
}
