import { readFileSync } from 'node:fs'
import { type Contract, constantOf, kebab, methodsOf, pascal, queryType } from './contract.ts'

/** Puts the imports that the module of a class needs before its code. */
export function withImports(contract: Contract, code: string): string {
  const withoutDocs = code.replaceAll(/\/\*\*.*?\*\//gs, '').replaceAll(/'[^']*'/g, '')
  const words = new Set(withoutDocs.match(/(?<![.\w])[A-Za-z]\w+/g))
  const known = new Set(declarations(code).map(({ name }) => name))
  const imports = sourcesOf(contract).flatMap(({ path, exports }) => {
    // A type of the client stands before one of the contract with its name.
    const used = exports.filter(({ name }) => words.has(name) && !known.has(name))
    for (const { name } of used) known.add(name)
    const names = used.map(({ name, isType }) => (isType ? `type ${name}` : name)).sort()
    return names.length > 0 ? `import { ${names.join(', ')} } from '${path}'\n` : []
  })
  return `${imports.join('')}\n${code}`
}

interface Export {
  readonly name: string
  readonly isType: boolean
}

interface Source {
  readonly path: string
  readonly exports: readonly Export[]
}

/** Returns the modules that classes import from, as paths from their folder. */
function sourcesOf(contract: Contract): Source[] {
  const methods = methodsOf(contract)
  const types = [...Object.keys(contract.components.schemas), ...methods.map(dataType)]
  const clients = ['call', 'options', 'pages', 'transport', 'typed-data', 'typed-formulas']
  return [
    ...clients.map(name => ({ path: `../../${name}.ts`, exports: exportsOf(name) })),
    { path: '../operations.gen.ts', exports: methods.map(one => ({ name: constantOf(one), isType: false })) },
    { path: '../types.gen.ts', exports: types.map(name => ({ name, isType: true })) },
    ...[...new Set(methods.map(({ resource }) => resource))].filter(Boolean).flatMap(name => {
      const lists = methods.filter(({ resource, query }) => resource === name && query.length > 0)
      const queries = lists.map(one => ({ name: queryType(one), isType: true }))
      return [
        { path: `./${kebab(name)}.gen.ts`, exports: [{ name: pascal(name), isType: false }, ...queries] },
        {
          path: `./iterable-${kebab(name)}.gen.ts`,
          exports: [{ name: `Iterable${pascal(name)}`, isType: false }],
        },
      ]
    }),
  ]
}

const dataType = (method: Parameters<typeof constantOf>[0]) => `${pascal(constantOf(method))}Data`

/** Returns what a module of the client exports. */
export const exportsOf = (name: string) =>
  declarations(readFileSync(new URL(`../../src/${name}.ts`, import.meta.url), 'utf8'))

function declarations(code: string): Export[] {
  const found = code.matchAll(/^export (?:async )?(class|const|function\*?|interface|type) (\w+)/gm)
  return [...found].map(([, kind = '', name = '']) => ({ name, isType: /^(interface|type)$/.test(kind) }))
}
