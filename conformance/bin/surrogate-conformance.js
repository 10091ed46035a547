#!/usr/bin/env node
// Parses on old versions of Node, so that they can say what is missing: no top-level `await`, no new syntax.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`surrogate-conformance needs Node 20.19 or later; this is ${process.version}\n`)
  process.exitCode = 2
} else {
  import('../dist/program.js')
}
