import { inspect } from 'node:util'
import { type Contract, kebab, type Method, nameOf, pascal, singular } from './contract.ts'
import { errorName } from './statuses.ts'

/** Returns a docstring of lines, indented. */
export function docstring(text: string, indent = ''): string {
  const lines = text.trim().replaceAll('*/', '*\\/').split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return [`${indent}/**`, ...lines.map(line => `${indent} * ${line}`.trimEnd()), `${indent} */\n`].join('\n')
}

/** Returns the docstring of a method: description, permission, errors and an example. */
export function docsOf(contract: Contract, method: Method, isAlone = false): string {
  const errors = errorsOf(contract, method)
  const parts = [
    method.operation.description.trim(),
    needsOf(method),
    ...(errors.length > 0 ? [`Throws\n${errors.join('\n')}`] : []),
    example(callOf(method, isAlone)),
  ]
  return docstring(parts.join('\n\n'), '  ')
}

/** Returns which permission an operation needs, and which keys can have it. */
function needsOf({ operation }: Method): string {
  const permission = operation['x-permission']
  const keys = operation['x-application-types'].map(type => `${type} keys`)
  if (operation['x-session']) keys.push('sessions')
  const last = keys.pop()
  return `For ${[keys.join(', '), last].filter(Boolean).join(' and ')}${permission ? ` with \`${permission}\`` : ''}.`
}

export const example = (code: string) => `@example\n\`\`\`ts\n${code}\n\`\`\``

/** Returns what an operation throws, without what every operation throws. */
function errorsOf(contract: Contract, { operation }: Method): string[] {
  return Object.entries(operation.responses).flatMap(([status, response]) => {
    const name = errorName(status)
    if (!('$ref' in response) || !name || nameOf(response) === usualOf(contract, status)) return []
    const { description = '' } = contract.components.responses[nameOf(response)] ?? {}
    return wrapped(`- \`${name}\`: ${description}`)
  })
}

/** Breaks the lines of an item of a list. */
const wrapped = (item: string) =>
  item
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(.{1,110})(?: |$)/g, '$1\n  ')
    .trimEnd()

/** Returns the response that most operations have for a status, if nearly all of them have the status. */
function usualOf(contract: Contract, status: string): string | undefined {
  const operations = Object.values(contract.paths).flatMap(item =>
    Object.values(item).filter(one => 'operationId' in one),
  )
  const names = operations.flatMap(({ responses }) => {
    const response = responses[status]
    return response && '$ref' in response ? nameOf(response) : []
  })
  const count = (name: string) => names.filter(one => one === name).length
  const [most] = [...new Set(names)].sort((a, b) => count(b) - count(a))
  return most !== undefined && count(most) > operations.length / 3 && !['404', '409'].includes(status)
    ? most
    : undefined
}

/** Returns a call of a method: the first example of its body, and what it resolves with. */
function callOf({ resource, name, ids, body, query, result, isList }: Method, isAlone: boolean): string {
  const args = ids.map(([id]) => `'${id === 'id' ? `${singular(resource)}-id` : kebab(id)}'`)
  if (body)
    args.push(inspect(body.example, { depth: null, breakLength: 100, maxStringLength: null, sorted: false }))
  const owner = isAlone ? resource : ['surrogate', resource].filter(Boolean).join('.')
  const call = `${owner}.${name}(${args.join(', ')})`
  if (isAlone) {
    const made = `const ${resource} = new ${pascal(resource)}({ apiKey: 'key_prv_…', baseUrl: 'https://vault.example.org' })`
    return isList
      ? `${made}\nfor await (const { id } of items(${call})) console.log(id)`
      : `${made}\nawait ${call}`
  }
  if (isList) return `for await (const { id } of ${call}) console.log(id)`
  return result && !(query.length > 0 && !body)
    ? `const ${result.replace(/^./, letter => letter.toLowerCase())} = await ${call}`
    : `await ${call}`
}
