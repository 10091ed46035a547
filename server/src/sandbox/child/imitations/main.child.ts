/**
 * Modules of Node that need a system: made of what formulas have, in memory, or of functions that throw when they are
 * called. Evaluated anew for each invocation that requires one, apart from those of `node/`, which most formulas need
 * alone. Only the mediated `fetch` leads out of the process.
 */
import { absent } from './absent.child.ts'

// biome-ignore lint/suspicious/noExplicitAny: modules of packages
type Any = any
/** Of the bundler, and for modules of Node that of the formula: they are the same for all packages. */
declare const require: (name: string) => Any

let files: Record<string, unknown> | undefined
const fs = () => {
  files ??= (require('./files.child.ts') as typeof import('./files.child.ts')).createFs()
  return files
}
const http = () => require('./http.child.ts') as typeof import('./http.child.ts')

const isIPv4 = (text: unknown) => /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(`${text}`)
const isIPv6 = (text: unknown) => /^[\da-f:.]{2,45}$/i.test(`${text}`) && URL.canParse(`http://[${text}]`)
const isIP = (text: unknown) => (isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0)

/** The `require` of this program without what is only for it. */
const requireForFormulas = (name: unknown): unknown => {
  const key = `${name}`
  if (key.startsWith('host:')) throw new TypeError('this module is not available')
  return require(key)
}

/** Runs what it is given: there are no errors to take part in. */
const createDomain = () => {
  const none = () => {}
  return { add: none, remove: none, on: none, enter: none, exit: none, run: (work: () => unknown) => work() }
}

export const modules: Readonly<Record<string, unknown>> = {
  get assert() {
    return require('assert/build/assert.js')
  },
  get 'assert/strict'() {
    return require('assert/build/assert.js').strict
  },
  get async_hooks() {
    return (require('./async-hooks.child.ts') as typeof import('./async-hooks.child.ts')).asyncHooks
  },
  get child_process() {
    return absent('child_process', 'processes')
  },
  get console() {
    return console
  },
  constants: {},
  get dgram() {
    return absent('dgram', 'sockets')
  },
  diagnostics_channel: {
    channel: () => ({ hasSubscribers: false, publish() {}, subscribe() {}, unsubscribe() {} }),
  },
  get dns() {
    return { ...absent('dns', 'sockets'), promises: absent('dns', 'sockets') }
  },
  get 'dns/promises'() {
    return absent('dns', 'sockets')
  },
  domain: { active: null, create: createDomain },
  get fs() {
    return fs()
  },
  get 'fs/promises'() {
    return fs().promises
  },
  get http() {
    return http().http
  },
  get http2() {
    return { ...absent('http2', 'sockets'), constants: {} }
  },
  get https() {
    return http().https
  },
  get module() {
    return {
      ...absent('module', 'code'),
      builtinModules: [],
      createRequire: () => requireForFormulas,
      isBuiltin: () => false,
    }
  },
  get net() {
    return { ...absent('net', 'sockets'), isIP, isIPv4, isIPv6 }
  },
  get os() {
    return (require('./os.child.ts') as typeof import('./os.child.ts')).os
  },
  get path() {
    return require('path-browserify')
  },
  get 'path/posix'() {
    return require('path-browserify')
  },
  get perf_hooks() {
    return { performance, constants: {} }
  },
  get process() {
    return process
  },
  get punycode() {
    return require('punycode/punycode.js')
  },
  get readline() {
    return absent('readline', 'files')
  },
  get timers() {
    return { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate }
  },
  'timers/promises': {
    setImmediate: (value: unknown) => new Promise(resolve => setImmediate(resolve, value)),
    setTimeout: (ms: number, value: unknown) => new Promise(resolve => setTimeout(resolve, ms, value)),
  },
  get tls() {
    return { ...absent('tls', 'sockets'), rootCertificates: [] }
  },
  tty: { isatty: () => false },
  get url() {
    const pathToFileURL = (path: string) =>
      new URL(`file://${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}`)
    const fileURLToPath = (url: unknown) => decodeURIComponent(new URL(`${url}`).pathname)
    return { ...require('url/url.js'), URL, URLSearchParams, fileURLToPath, pathToFileURL }
  },
  get vm() {
    return absent('vm', 'code')
  },
  get worker_threads() {
    const main = { isMainThread: true, parentPort: null, threadId: 0, workerData: null }
    return { ...absent('worker_threads', 'processes'), ...main }
  },
  get zlib() {
    return (require('./zlib.child.ts') as typeof import('./zlib.child.ts')).zlib
  },
}
