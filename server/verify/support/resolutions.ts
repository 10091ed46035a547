import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type ts from 'typescript'

type Compiler = typeof ts
type Settings = Record<string, unknown>

/** How applications find packages. The file name decides whether `node16` sees an ES module or CommonJS. */
const resolutions: readonly (readonly [name: string, file: string, settings: Settings])[] = [
  ['node10', 'use.ts', { module: 'commonjs', moduleResolution: 'node10' }],
  ['node16 in CommonJS', 'use.cts', { module: 'node16', moduleResolution: 'node16' }],
  ['node16 in an ES module', 'use.mts', { module: 'node16', moduleResolution: 'node16' }],
  ['bundler', 'use.ts', { module: 'esnext', moduleResolution: 'bundler' }],
  [
    "bundler with Next's settings",
    'use.ts',
    {
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2017',
      isolatedModules: true,
      esModuleInterop: true,
      jsx: 'preserve',
    },
  ],
]

export interface Consumer {
  /** With the installed package in its `node_modules`. */
  readonly folder: string
  readonly code: string
  /** Settings that replace the usual ones. */
  readonly settings?: Settings
  /** The name of one way to find packages; otherwise all are tried. */
  readonly only?: string
}

/** The settings of every application. */
const usual = {
  strict: true,
  noEmit: true,
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  skipDefaultLibCheck: true,
}

/**
 * Compiles a file of an application by each way in which TypeScript finds packages. Returns the complaints of each, by
 * its name. The declarations of the package are not checked, unless the settings say so.
 */
export function complaintsOf(
  compiler: Compiler,
  { folder, code, settings = {}, only }: Consumer,
): Record<string, string[]> {
  return Object.fromEntries(
    resolutions
      .filter(([name]) => only === undefined || name === only)
      .map(([name, file, own]) => {
        writeFileSync(join(folder, file), code)
        return [name, complaints(compiler, folder, file, { ...own, ...settings })]
      }),
  )
}

/** The declarations of the language: reading them takes most of the time, and they are the same for every target. */
const librariesOf = new WeakMap<Compiler, Map<string, ts.SourceFile | undefined>>()

function complaints(compiler: Compiler, folder: string, file: string, settings: Settings): string[] {
  const libraries = librariesOf.get(compiler) ?? new Map<string, ts.SourceFile | undefined>()
  librariesOf.set(compiler, libraries)
  const version = Number.parseFloat(compiler.version)
  const isNode10 = settings.moduleResolution === 'node10'
  const { options, errors } = compiler.convertCompilerOptionsFromJson(
    {
      ...usual,
      skipLibCheck: true,
      ...settings,
      ...(version < 5.1 && isNode10 ? { moduleResolution: 'node' } : {}),
      ...(version >= 6 && isNode10 ? { ignoreDeprecations: '6.0' } : {}),
    },
    folder,
  )
  const host = compiler.createCompilerHost(options)
  const read = host.getSourceFile
  host.getSourceFile = (path, how, ...more) => {
    if (!/\/lib\.[\w.]+\.d\.ts$/.test(path)) return read(path, how, ...more)
    if (!libraries.has(path)) libraries.set(path, read(path, how, ...more))
    return libraries.get(path)
  }
  const program = compiler.createProgram([join(folder, file)], options, host)
  return [...errors, ...compiler.getPreEmitDiagnostics(program)].map(({ messageText }) =>
    compiler.flattenDiagnosticMessageText(messageText, '\n'),
  )
}

/**
 * Checks the declarations of the package too: those for ES modules, and those for CommonJS. The native compiler takes a
 * fifth of the time, and the least with one thread. Resolves with what it prints.
 */
export async function complaintsOfDeclarations({ folder, code, settings = {} }: Consumer): Promise<string> {
  for (const file of ['use.cts', 'use.mts']) writeFileSync(join(folder, file), code)
  const compilerOptions = { ...usual, module: 'node16', ...settings }
  const files = ['use.cts', 'use.mts']
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  return new Promise(resolve =>
    execFile(process.execPath, [native, '--singleThreaded', '--project', folder], (error, stdout, stderr) =>
      resolve(stdout + stderr || (error?.message ?? '')),
    ),
  )
}

const native = fileURLToPath(new URL('../../../node_modules/typescript-7/bin/tsc', import.meta.url))
