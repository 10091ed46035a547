/**
 * The module `fs`: files in the memory of one invocation, for packages that take keys and documents by their paths, or
 * write what they make to one. There are no others, and what an invocation wrote is gone with it.
 */
import { absent } from './absent.child.ts'

// biome-ignore lint/suspicious/noExplicitAny: functions of formulas take anything
type Any = any
declare const require: (name: string) => Any
const { resolve } = require('path-browserify')

type Entry = Buffer | 'folder'
type Encoded = string | { readonly encoding?: string | null; readonly flag?: string } | null | undefined

const failure = (code: string, reason: string, call: string, path: string) =>
  Object.assign(
    new Error(`${code}: ${reason}, ${call} '${path}': formulas have only the files that they write`),
    {
      code,
      syscall: call,
      path,
    },
  )
const encodingOf = (given: Encoded) => (typeof given === 'string' ? given : given?.encoding) ?? undefined

function pathOf(given: unknown): string {
  const text = given instanceof URL ? decodeURIComponent(given.pathname) : `${given}`
  return resolve('/', text)
}

/** The time of a file is not kept. */
const statsOf = (entry: Entry) => {
  const isFile = entry !== 'folder'
  const time = new Date(0)
  return {
    size: isFile ? entry.length : 0,
    mode: isFile ? 0o100600 : 0o040700,
    mtime: time,
    mtimeMs: 0,
    atime: time,
    ctime: time,
    birthtime: time,
    isFile: () => isFile,
    isDirectory: () => !isFile,
    isSymbolicLink: () => false,
  }
}

/** Returns the calls that answer at once, whose names in Node end with `Sync`. */
function filesInMemory() {
  const entries = new Map<string, Entry>([['/', 'folder']])
  const found = (given: unknown, call: string): [path: string, entry: Entry] => {
    const path = pathOf(given)
    const entry = entries.get(path)
    if (entry === undefined) throw failure('ENOENT', 'no such file or directory', call, path)
    return [path, entry]
  }
  const file = (given: unknown, call: string): [path: string, bytes: Buffer] => {
    const [path, entry] = found(given, call)
    if (entry === 'folder') throw failure('EISDIR', 'illegal operation on a directory', call, path)
    return [path, entry]
  }
  const write = (given: unknown, data: unknown, options?: Encoded) => {
    const path = pathOf(given)
    if (entries.get(path) === 'folder')
      throw failure('EISDIR', 'illegal operation on a directory', 'open', path)
    const bytes = ArrayBuffer.isView(data)
      ? Buffer.from(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) as ArrayBuffer)
      : Buffer.from(`${data}`, (encodingOf(options) ?? 'utf8') as 'utf8')
    const isAppended = typeof options === 'object' && options?.flag?.startsWith('a') && entries.has(path)
    entries.set(path, isAppended ? Buffer.concat([file(path, 'open')[1], bytes]) : bytes)
    // Folders need not be made first: there is nothing that one could be confused with.
    for (let at = resolve(path, '..'); at !== '/'; at = resolve(at, '..')) entries.set(at, 'folder')
  }
  const remove = (given: unknown, { force = false, recursive = false } = {}) => {
    const path = pathOf(given)
    if (force && !entries.has(path)) return
    found(path, 'rm')
    entries.delete(path)
    if (recursive) for (const one of [...entries.keys()]) if (one.startsWith(`${path}/`)) entries.delete(one)
  }
  return {
    access: (path: unknown) => void found(path, 'access'),
    appendFile: (path: unknown, data: unknown, options?: Encoded) =>
      write(path, data, { encoding: encodingOf(options) ?? 'utf8', flag: 'a' }),
    copyFile: (from: unknown, to: unknown) => write(to, file(from, 'copyfile')[1]),
    exists: (path: unknown) => entries.has(pathOf(path)),
    lstat: (path: unknown) => statsOf(found(path, 'lstat')[1]),
    mkdir: (path: unknown) => void entries.set(pathOf(path), 'folder'),
    readdir: (given: unknown) => {
      const path = found(given, 'scandir')[0]
      const inside = path === '/' ? path : `${path}/`
      const names = [...entries.keys()].filter(one => one !== path && one.startsWith(inside))
      return names.map(one => one.slice(inside.length)).filter(name => !name.includes('/'))
    },
    readFile: (path: unknown, options?: Encoded) => {
      const [, bytes] = file(path, 'open')
      const encoding = encodingOf(options)
      return encoding ? bytes.toString(encoding as 'utf8') : Buffer.from(bytes)
    },
    realpath: (path: unknown) => found(path, 'realpath')[0],
    rename: (from: unknown, to: unknown) => {
      write(to, file(from, 'rename')[1])
      remove(from)
    },
    rm: remove,
    rmdir: (path: unknown) => remove(path),
    stat: (path: unknown) => statsOf(found(path, 'stat')[1]),
    unlink: (path: unknown) => remove(path),
    writeFile: write,
  }
}

type Call = (...given: Any[]) => unknown

/** A stream that reads a file when it is first read. */
function createReadStream(readFile: Call, path: unknown, options?: Encoded): unknown {
  const { Readable } = require('node:stream')
  const stream = new Readable({
    read() {
      try {
        this.push(readFile(path))
        this.push(null)
      } catch (error) {
        this.destroy(error)
      }
    },
  })
  const encoding = encodingOf(options)
  return encoding ? stream.setEncoding(encoding) : stream
}

/** A stream whose file is there when it has ended. */
function createWriteStream(writeFile: Call, path: unknown, options?: Encoded): unknown {
  const { Writable } = require('node:stream')
  const pieces: Buffer[] = []
  return new Writable({
    write(piece: Buffer, _encoding: string, done: () => void) {
      pieces.push(piece)
      done()
    },
    final(done: (error?: unknown) => void) {
      try {
        writeFile(path, Buffer.concat(pieces), options)
        done()
      } catch (error) {
        done(error)
      }
    },
  })
}

/** Returns a new `fs` without files. */
export function createFs(): Record<string, unknown> {
  const calls: Readonly<Record<string, Call>> = filesInMemory()
  const { readFile, writeFile } = calls as Record<'readFile' | 'writeFile', Call>
  const promised = Object.entries(calls).map(
    ([name, call]) => [name, async (...given: Any[]) => call(...given)] as const,
  )
  const byCallback = promised.map(([name, call]) => [
    name,
    (...given: Any[]) => {
      const done = given.pop()
      if (typeof done !== 'function') throw new TypeError(`fs.${name} takes a callback`)
      const answer = name === 'exists' ? done : (value: unknown) => done(null, value)
      call(...given).then(
        value => process.nextTick(answer, value),
        error => process.nextTick(done, error),
      )
    },
  ])
  const others = absent('fs', 'files')
  const unavailable = Object.entries(others)
    .filter(([name]) => /^[a-z](?!.*Sync$)/.test(name))
    .map(([name, refuse]) => [name, async () => (refuse as Call)()] as const)
  const constants = { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 }
  return {
    ...others,
    ...Object.fromEntries(Object.entries(calls).map(([name, call]) => [`${name}Sync`, call])),
    ...Object.fromEntries(byCallback),
    createReadStream: (path: unknown, options?: Encoded) => createReadStream(readFile, path, options),
    createWriteStream: (path: unknown, options?: Encoded) => createWriteStream(writeFile, path, options),
    constants,
    promises: { ...Object.fromEntries(unavailable), ...Object.fromEntries(promised), constants },
  }
}
