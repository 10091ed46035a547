import { type Contract, type Method, methodsOf, pascal, queryType } from './contract.ts'
import { exportsOf } from './imports.ts'
import { hasQuery, light, pathOf } from './resources.ts'
import { errors } from './statuses.ts'

/** Returns the module that exports the classes of the package, the types of their queries, and those of the contract. */
export function publicModule(contract: Contract): string {
  const methods = methodsOf(contract)
  const names = [...new Set(methods.map(({ resource }) => resource))].filter(name => name !== '')
  const ofResources = names.map(name => {
    const queries = methods.filter(one => one.resource === name && hasQuery(one)).map(queryType)
    return [pathOf(name), [pascal(name), ...queries.map(query => `type ${query}`)]] as const
  })
  const iterable = light.map(
    name =>
      [pathOf(`iterable-${name}`), [`Iterable${pascal(name)}`, `type Revealing${pascal(name)}`]] as const,
  )
  const ofErrors = [...errors, { name: 'Server' }].map(({ name }) => `${name}Error`)
  const types = schemasOf(contract, methods).map(name => `type ${name}`)
  const exported = [
    ...ofResources,
    ...iterable,
    ['status-errors', ofErrors] as const,
    ['types', types] as const,
  ]
  return exported.map(([path, all]) => `export { ${all.join(', ')} } from './${path}.gen.ts'`).join('\n')
}

/**
 * Returns the schemas that bodies, results and problems consist of. Without alternatives (`oneOf`), and without those that the
 * client has a type of its own for.
 */
function schemasOf(contract: Contract, methods: readonly Method[]): string[] {
  const found = new Set(exportsOf('typed-data').map(({ name }) => name))
  const own = new Set(found)
  const visit = (part: unknown): void => {
    for (const [key, value] of Object.entries(Object(part))) {
      const [, name] = (key === '$ref' && /^#\/components\/schemas\/(\w+)$/.exec(`${value}`)) || []
      if (name) visitSchema(name)
      else if (key !== 'oneOf' && typeof value === 'object') visit(value)
    }
  }
  const visitSchema = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    visit(contract.components.schemas[name])
  }
  for (const name of methods.flatMap(({ body, result }) => [body?.type, result, 'Problem']))
    if (name) visitSchema(name)
  return [...found].filter(name => !own.has(name)).sort()
}
