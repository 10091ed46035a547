#!/usr/bin/env node
import module from 'node:module'
import { fileURLToPath } from 'node:url'

// Node 22 and later keep compiled code here: a later start takes a tenth less. It lies beside the code and not in the
// system's temporary folder, where another user could put compiled code of their own.
module.enableCompileCache?.(fileURLToPath(new URL('../.compile-cache', import.meta.url)))
const { main } = await import('../dist/main.js')

process.exitCode = await main(process.argv.slice(2), process.env)
