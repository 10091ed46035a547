import {
  type Contract,
  constantOf,
  kebab,
  type Method,
  methodsOf,
  pascal,
  queryType,
  type TypedCall,
} from './contract.ts'
import { docsOf, docstring, example } from './docs.ts'
import { withImports } from './imports.ts'

/** The operations of the contract whose ids begin with one name, `tokens` of `tokens.get`. */
interface Resource {
  readonly name: string
  readonly description: string
  readonly methods: readonly Method[]
}

/**
 * Resources whose class a page can load alone, without what iterates: its lists resolve with a page. The client has a
 * subclass of it, `IterableTokens`.
 */
export const light = ['tokens']

/**
 * Returns the classes of the client as modules, by path: one for each resource, and `client`, which has one of each and the
 * operations without a resource.
 */
export function resourceModules(contract: Contract): Map<string, string> {
  const methods = methodsOf(contract)
  const names = [...new Set(methods.map(({ resource }) => resource))].filter(name => name !== '')
  const resources = names.map((name): Resource => {
    const own = methods.filter(({ resource }) => resource === name)
    const tag = contract.tags.find(tag => tag.name === own[0]?.operation.tags[0])
    return { name, description: tag?.description ?? '', methods: own }
  })
  const modules = new Map(resources.map(one => [pathOf(one.name), classOf(contract, one)]))
  for (const one of resources.filter(isLight))
    modules.set(pathOf(`iterable-${one.name}`), iterableOf(contract, one))
  const ofClient = methods.filter(({ resource }) => resource === '')
  modules.set(pathOf('client'), clientOf(contract, resources, ofClient))
  return modules
}

/** The path of a resource's module. */
export const pathOf = (name: string) => `resources/${kebab(name)}`
const isLight = ({ name }: Resource) => light.includes(name)
const iterableName = (one: Resource) => `${isLight(one) ? 'Iterable' : ''}${pascal(one.name)}`
export const hasQuery = ({ query }: Method) => query.length > 0

/** Returns the class of a resource, which sends by the options of a client or by what the client sends by. */
function classOf(contract: Contract, resource: Resource): string {
  const { name, description, methods } = resource
  const body = methods.map(one => methodText(contract, one, isLight(resource) ? lightCall : iterableCall))
  const code = `${docstring(description)}export class ${pascal(name)} {
  readonly #send: Send

  /** Takes the options of a client, for applications that need these calls alone. */
  constructor(options: ResourceOptions)
  /** @internal */
  constructor(by: ResourceOptions | Send)
  constructor(by: ResourceOptions | Send) {
    this.#send = sendBy(by)
  }

${body.join('\n')}}`
  return withImports(contract, [...methods.filter(hasQuery).map(queryOf), code].join('\n\n'))
}

/** Returns the type of a list's filters and page. */
function queryOf(method: Method): string {
  const { operationId } = method.operation
  const names = method.query.map(name => `\`${name}\``).join(', ')
  const text = `The query of \`${operationId}\`: ${names}.\n\n${example(`const query: ${queryType(method)} = { page: 2, size: 50 }`)}`
  return `${docstring(text)}export type ${queryType(method)} = NonNullable<${pascal(constantOf(method))}Data['query']>`
}

/** Returns the subclass whose lists are iterable. */
function iterableOf(contract: Contract, resource: Resource): string {
  const { name, description, methods } = resource
  const lists = methods.filter(({ isList }) => isList)
  const text = `${description}\n\nIts lists can be iterated, and send nothing before they are awaited or iterated.`
  const body = lists.map(one => methodText(contract, one, superCall, 'override '))
  const head = `${docstring(text)}export class Iterable${pascal(name)} extends ${pascal(name)}`
  return withImports(contract, `${head} {\n${body.join('\n')}}\n\n${revealingOf(resource)}`)
}

/** Returns the interface of the subclass for a key whose rules reveal data. */
function revealingOf({ name, methods }: Resource): string {
  const own = methods.filter(one => typedCalls(one).some(({ revealed }) => revealed))
  const sample = `const ${name}: Revealing${pascal(name)} = surrogate.revealing().${name}`
  const text = `The same for a key whose rules reveal data: \`data\` of what it reads is present and whole.\n\n${example(sample)}`
  const signatures = own.flatMap(one =>
    typedCalls(one).map(({ revealed: result = '', ...call }) => {
      const text = `Like \`${one.operation.operationId}\`, with data whole.`
      return `${docstring(text, '  ')}  ${signature(one, { ...call, result }, iterableCall)}`
    }),
  )
  const names = own.map(one => `'${one.name}'`).join(' | ')
  return `${docstring(text)}export interface Revealing${pascal(name)} extends Omit<Iterable${pascal(name)}, ${names}> {\n${signatures.join('\n')}\n}`
}

/** Returns the class that has all others, and the operations without one. */
function clientOf(contract: Contract, resources: readonly Resource[], methods: readonly Method[]): string {
  const members = resources.map(
    one => `${docstring(one.description, '  ')}  declare readonly ${one.name}: ${iterableName(one)}`,
  )
  const made = resources.map(one => `    this.${one.name} = new ${iterableName(one)}(send)`)
  const body = methods.map(one => methodText(contract, one, iterableCall))
  return withImports(
    contract,
    `/** All operations of the contract. */
export class Client {
${members.join('\n')}

  readonly #send: Send

  constructor(send: Send) {
    this.#send = send
${made.join('\n')}
  }

${body.join('\n')}}`,
  )
}

/** How a method sends: what it returns, and the code that does it. */
interface Way {
  readonly returns: (result: string, isList: boolean) => string
  readonly code: (method: Method, send: string) => string
}

const position = (method: Method) => (hasQuery(method) ? 'query' : 'body')
const cursor = (method: Method) =>
  method.query.includes('start') || method.body ? `, ${position(method)}?.start` : ''

/** Lists are pages that can be iterated. */
const iterableCall: Way = {
  returns: (result, isList) => `${isList ? 'Pages' : 'Call'}<${result}>`,
  code: (method, send) => {
    const name = position(method)
    return `new Pages(position => pageOf({ ...${name}, ...position }, ${name} => ${send})${cursor(method)})`
  },
}
/** Lists are calls that resolve with a page. */
const lightCall: Way = {
  returns: (result, isList) => `${isList ? 'PageCall' : 'Call'}<${result}>`,
  code: (method, send) => {
    const name = position(method)
    return `pageOf(${hasQuery(method) ? `${name} ?? {}` : name}, ${name} => ${send})`
  },
}
/** Lists are pages of the class that this one extends. */
const superCall: Way = {
  returns: iterableCall.returns,
  code: method => {
    const name = position(method)
    const type = hasQuery(method) ? queryType(method) : method.body?.type
    const page = `super.${method.name}({ ...${name}, ...position } as ${type}, options) as Call<never>`
    return `new Pages(position => ${page}${cursor(method)})`
  },
}

/** Returns the types of a call: those of `x-typescript`, or those of the contract's schemas. */
function typedCalls({ operation, body, result = 'void' }: Method): readonly TypedCall[] {
  const given = operation['x-typescript']
  const calls = given === undefined ? [{ parameters: '', result }] : [given].flat()
  return calls.map(call => (body ? { body: body.type, ...call } : call))
}

function signature(method: Method, { parameters, body, result }: TypedCall, way: Way): string {
  const generic = parameters && `<${parameters}>`
  return `${method.name}${generic}(${argumentsOf(method, body)}): ${way.returns(result, method.isList)}`
}

function argumentsOf(method: Method, body: string | undefined): string {
  return [
    ...method.ids.map(([, argument]) => `${argument}: string`),
    ...(hasQuery(method) ? [`query?: ${queryType(method)}`] : []),
    ...(body ? [`body: ${body}`] : []),
    'options?: RequestOptions',
  ].join(', ')
}

function methodText(contract: Contract, method: Method, way: Way, modifier = ''): string {
  const { operation, ids, body, result, isList, isDeferred } = method
  const isTyped = operation['x-typescript'] !== undefined
  const members = [
    ...ids.map(([name, argument]) => (name === argument ? name : `${name}: ${argument}`)),
    ...(hasQuery(method) ? ['query'] : []),
    ...(body ? [isTyped ? `body: body as ${body.type}` : 'body'] : []),
  ]
  const request = members.length > 0 ? `{ ${members.join(', ')} }` : '{}'
  const sent = `this.#send(${constantOf(method)}, ${request}, options)`
  const deferred = isDeferred ? `accepted(${sent})` : sent
  const cast = isTyped ? ' as Call<never>' : result === undefined ? ' as Call<void>' : ''
  const code = isList ? way.code(method, deferred + cast) : deferred + cast
  const calls = typedCalls(method)
  const [first] = calls as [TypedCall]
  const open = isTyped
    ? [...calls.map(call => modifier + signature(method, call, way)), openSignature(method, way, modifier)]
    : [modifier + signature(method, first, way)]
  return `${docsOf(contract, method, way === lightCall && isList)}${open.map(one => `  ${one}`).join('\n')} {\n    return ${code}\n  }\n`
}

/** The signature of the implementation, which fits those that callers see. */
function openSignature(method: Method, way: Way, modifier: string): string {
  const body = method.body && (method.isList ? method.body.type : 'object')
  return `${modifier}${method.name}(${argumentsOf(method, body)}): ${way.returns('never', method.isList)}`
}
