import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { readDockerfile, readIgnored } from './_dockerfile.ts'

const execute = promisify(execFile)

export interface ImageOptions {
  /** The folder that the build is sent, and where its result lies. */
  readonly context: string
  readonly target: string
  /** Runs a command of npm in a folder of a stage. */
  readonly run: (stage: string | undefined, command: string, folder: string) => Promise<void>
}

/**
 * Does the steps of the Dockerfile in folders, one for each stage, as far as that is possible without a container
 * engine: copies what COPY copies, and runs the commands of npm. Resolves with the folder of the last stage.
 */
export async function buildImage({ context, target, run }: ImageOptions): Promise<string> {
  const stages = readDockerfile(new URL('Dockerfile', import.meta.url))
  const isIgnored = readIgnored(new URL('Dockerfile.dockerignore', import.meta.url))
  const roots = new Map<string, string>()
  let last = ''
  for (const [index, stage] of stages.entries()) {
    last = join(target, String(index))
    roots.set(stage.name ?? '', last)
    let folder = last
    for (const { name, text } of stage.instructions) {
      if (name === 'WORKDIR') folder = join(last, text)
      mkdirSync(folder, { recursive: true })
      if (name === 'COPY') copy(text, folder, { context, roots, isIgnored })
      if (name === 'RUN' && text.startsWith('npm ')) await run(stage.name, text, folder)
    }
  }
  return last
}

interface Sources {
  readonly context: string
  readonly roots: ReadonlyMap<string, string>
  readonly isIgnored: (path: string) => boolean
}

function copy(text: string, folder: string, { context, roots, isIgnored }: Sources): void {
  const [, stage, paths = ''] = /^(?:--from=(\S+) )?(.+)$/.exec(text) ?? []
  const words = paths.split(' ')
  const target = join(folder, words.pop() ?? '')
  const root = stage === undefined ? context : (roots.get(stage) ?? '')
  for (const path of words) {
    const source = join(root, path)
    if (stage === undefined && isIgnored(path)) throw new Error(`COPY ${path}: not sent to the build`)
    if (!existsSync(source)) throw new Error(`COPY ${path}: there is no such file`)
    const to = words.length > 1 || text.endsWith('/') ? join(target, basename(path)) : target
    if (stage !== undefined) cpSync(source, to, { recursive: true, verbatimSymlinks: true })
    else copySent(context, path, to, isIgnored)
  }
}

/** Copies what is sent to the build, without walking through what is not. */
function copySent(context: string, path: string, to: string, isIgnored: (path: string) => boolean): void {
  if (isIgnored(path)) return
  const source = join(context, path)
  if (!statSync(source).isDirectory()) {
    cpSync(source, to)
    return
  }
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(source)) copySent(context, `${path}/${name}`, join(to, name), isIgnored)
}

/** Runs a command of npm as the Dockerfile has it. */
export async function runNpm(command: string, cwd: string): Promise<void> {
  const { NODE_OPTIONS: _, ...env } = process.env
  await execute('/bin/sh', ['-c', command], {
    cwd,
    env: { ...env, npm_config_prefer_offline: 'true', npm_config_fetch_retries: '0' },
    maxBuffer: 64 * 1024 * 1024,
  })
}
