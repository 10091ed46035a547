import type { Contract } from './contract.ts'
import { docstring, example } from './docs.ts'
import { errors } from './statuses.ts'

/** Returns the module with a class for each status. */
export function errorsModule(contract: Contract): string {
  const server = { name: 'Server', text: '500 to 599: the server or a formula failed.' }
  const ofServer = errors.filter(({ isOfServer }) => isOfServer).map(({ name }) => name)
  const described = errors.map(one => {
    const text = one.text ?? contract.components.responses[one.response as string]?.description
    return { ...one, text: `${one.status}: ${text}` }
  })
  const classes = [
    ...described.filter(one => !one.isOfServer).map(one => classText(one, 'APIError')),
    classText(server, 'APIError', ofServer),
    ...described.filter(one => one.isOfServer).map(one => classText(one, 'ServerError')),
  ]
  return `import { APIError, nameErrors } from '../errors.ts'

// The literal types of \`name\` make the classes distinct for TypeScript.

${classes.join('\n')}
/** The classes by their names, in the order of \`statuses\`. */
export const classes = {
${[...errors, server].map(({ name }) => `  ${name}: ${name}Error,`).join('\n')}
}
nameErrors(classes)

export const statuses = [${errors.map(({ status }) => status).join(', ')}]`
}

function classText(
  one: { name: string; text: string },
  base: string,
  others: readonly string[] = [],
): string {
  const sample = `await surrogate.tokens.get('token-id').catch(error => {
  if (error instanceof ${one.name}Error) console.error(error.message, error.traceId)
  else throw error
})`
  const names = [one.name, ...others].map(name => `'${name}Error'`).join(' | ')
  return `${docstring(`${one.text.trim()}\n\n${example(sample)}`)}export class ${one.name}Error extends ${base} {
  declare readonly name: ${names}
}
`
}
