/** Runs one of several programs: the first argument names it, the rest is for the program. */
import { fileURLToPath } from 'node:url'

const root = new URL('../../', import.meta.url)

/** @param programs their files, from the root of the repository, by name */
export async function runNamed(command: string, programs: Readonly<Record<string, string>>): Promise<void> {
  const [name = ''] = process.argv.splice(2, 1)
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined
  if (program === undefined) {
    const names = Object.keys(programs).join(', ')
    process.stderr.write(`usage: npm run ${command} -- NAME [FLAG…]\nNAME is one of ${names}\n`)
    process.exitCode = 2
    return
  }
  const file = new URL(program, root)
  process.argv[1] = fileURLToPath(file)
  await import(file.href)
}
