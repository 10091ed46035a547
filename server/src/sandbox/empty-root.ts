import { execFile } from 'node:child_process'

/** An existing folder that holds nothing which Node needs: the new root is mounted over it. */
const root = '/sys'

/** Paths that need no quoting, in a shell or in a file system table. */
const plainPath = /^\/[\w@+.,/-]+$/

export interface RootPrograms {
  readonly mount: string
  readonly mkdir: string
  readonly unshare: string
}

/** A root of its own for a process, in a mount namespace: programs, their libraries and nothing else. */
export interface EmptyRoot {
  /** Shell commands that build it, each with an exit code; to be joined with `&&`. */
  readonly build: readonly string[]
  /** Words that go before a command to run it in there. */
  readonly enter: readonly string[]
}

/**
 * How to make a root that holds `programs` and their libraries only, mounted read-only. `undefined` if the dynamic
 * loader does not tell the libraries, or a path would need quoting.
 */
export async function emptyRootOf(
  programs: readonly string[],
  { mount, mkdir, unshare }: RootPrograms,
): Promise<EmptyRoot | undefined> {
  const libraries = await Promise.all(programs.map(librariesOf))
  if (libraries.some(list => list.length === 0)) return undefined
  const files = [...new Set([...programs, ...libraries.flat()])]
  if (files.some(file => !plainPath.test(file) || file.startsWith(`${root}/`))) return undefined
  const folders = new Set(files.map(file => `${root}${file.slice(0, file.lastIndexOf('/'))}`))
  const table = files.map(file => `'${file} ${root}${file} none bind,ro,nosuid,nodev 0 0'`)
  return {
    build: [
      `${mount} -t tmpfs -o size=1m,mode=755,nosuid,nodev none ${root}`,
      `${mkdir} -p ${[...folders].join(' ')}`,
      ...files.map(file => `: > ${root}${file}`),
      // One process mounts them all: one each would cost as much again as starting Node.
      `printf '%s\\n' ${table.join(' ')} > ${root}/fstab`,
      `${mount} -a -T ${root}/fstab`,
      `: > ${root}/fstab`,
      `${mount} -o remount,ro,nosuid,nodev none ${root}`,
    ],
    enter: [unshare, `--root=${root}`, '--wd=/', '--'],
  }
}

/** The paths at which the dynamic loader finds a program's libraries, its own included. */
function librariesOf(program: string): Promise<string[]> {
  return new Promise(resolve => {
    const options = { env: { LD_TRACE_LOADED_OBJECTS: '1' }, cwd: '/', timeout: 5_000 }
    const child = execFile(program, [], options, (error, stdout) => {
      const paths = [...stdout.matchAll(/(\/\S+) \(0x[\da-f]+\)$/gm)].map(([, path = '']) => path)
      resolve(error ? [] : paths)
    })
    // A loader that ignores the variable starts the program, which then has nothing to read.
    child.stdin?.end()
  })
}
