import { execFile } from 'node:child_process'

/** An existing folder that Node does not need. The new root is mounted over it. */
const root = '/sys'

/** Paths that need no quoting in a shell or in an fstab. */
const plainPath = /^\/[\w@+.,/-]+$/

interface RootPrograms {
  readonly mount: string
  readonly mkdir: string
  readonly unshare: string
}

/** A root file system for a process in a mount namespace. It contains programs, their libraries and nothing else. */
export interface EmptyRoot {
  /** Shell commands that build it, to be joined with `&&`. */
  readonly build: readonly string[]
  /** The words before a command that runs in it. */
  readonly enter: readonly string[]
}

/**
 * Returns the commands for a read-only root with `programs` and their libraries. Returns `undefined` if the dynamic
 * loader does not list the libraries, or a path would need quoting.
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
      // One process mounts them all: a process for each would take as long as starting Node.
      `printf '%s\\n' ${table.join(' ')} > ${root}/fstab`,
      `${mount} -a -T ${root}/fstab`,
      `: > ${root}/fstab`,
      `${mount} -o remount,ro,nosuid,nodev none ${root}`,
    ],
    enter: [unshare, `--root=${root}`, '--wd=/', '--'],
  }
}

/** By program: asking the loader takes a process. */
const knownLibraries = new Map<string, readonly string[]>()

/** Returns the paths of a program's libraries and of the dynamic loader itself. */
function librariesOf(program: string): Promise<readonly string[]> {
  const known = knownLibraries.get(program)
  if (known) return Promise.resolve(known)
  return new Promise(resolve => {
    const options = { env: { LD_TRACE_LOADED_OBJECTS: '1' }, cwd: '/', timeout: 5_000 }
    const child = execFile(program, [], options, (error, stdout) => {
      const paths = [...stdout.matchAll(/(\/\S+) \(0x[\da-f]+\)$/gm)].map(([, path = '']) => path)
      if (!error && paths.length > 0) knownLibraries.set(program, paths)
      resolve(error ? [] : paths)
    })
    // A loader that ignores the variable starts the program, which then ends at the end of its input.
    child.stdin?.end()
  })
}
