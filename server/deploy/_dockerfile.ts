import { readFileSync } from 'node:fs'

interface Instruction {
  readonly name: string
  readonly text: string
}

export interface Stage {
  readonly name: string | undefined
  readonly base: string
  readonly instructions: readonly Instruction[]
}

/** Reads the instructions of a Dockerfile by stages. Knows the syntax that ours uses. */
export function readDockerfile(path: string | URL): readonly Stage[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  const stages: { name: string | undefined; base: string; instructions: Instruction[] }[] = []
  for (const line of lines.filter(one => one.trim() !== '' && !one.startsWith('#'))) {
    const [, name = '', text = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    if (name === '') throw new Error(`not an instruction: ${line}`)
    if (name === 'FROM') {
      const [, base = '', alias] = /^(\S+)(?: AS (\S+))?$/.exec(text) ?? []
      stages.push({ name: alias, base, instructions: [] })
    } else stages.at(-1)?.instructions.push({ name, text })
  }
  return stages
}

/** Returns the texts of all instructions of a name. */
export function textsOf(stage: Stage | undefined, name: string): string[] {
  return (stage?.instructions ?? []).filter(one => one.name === name).map(({ text }) => text)
}

/**
 * Returns a function that tells if a path is left out of the build, by the rules of a `.dockerignore` file: patterns
 * apply to a path and to all below it, and the last that fits decides.
 */
export function readIgnored(path: string | URL): (path: string) => boolean {
  const patterns = readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line.trim() !== '' && !line.startsWith('#'))
    .map(line => ({ keeps: line.startsWith('!'), pattern: toPattern(line.replace(/^!/, '')) }))
  return path => patterns.findLast(({ pattern }) => pattern.test(path))?.keeps === false
}

function toPattern(glob: string): RegExp {
  const text = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/|\*/g, found => (found === '*' ? '[^/]*' : '(?:.*/)?'))
  return new RegExp(`^${text}(?:/.*)?$`)
}
