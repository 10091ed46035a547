/**
 * Compiles the contract's validators to code, so that no server has to do it when it starts. openapi-backend
 * resolves the document and builds the schema of each operation's request and responses; ajv writes them as
 * functions. Run by `npm run generate`.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Ajv } from 'ajv'
import standaloneModule from 'ajv/dist/standalone/index.js'
import { build } from 'esbuild'
import { OpenAPIBackend } from 'openapi-backend'
import type { JsonObject } from '../../src/base/json/json.ts'
import { closedDocument, openDocument } from './contract-schemas.ts'
import { developmentOnly, withoutDevelopment } from './dev-profile.ts'
import { tokenTypesOf } from './facts.ts'
import { toOperation } from './operations.ts'
import { validatorCompiler } from './validator-compiler.ts'

/** Components, besides the data of tokens, that the server holds values against which no request carried whole. */
const checkedSchemas = [
  'CreateApplicationRequest',
  'CreateReactorRequest',
  'CreateTokenRequest',
  'Metadata',
  'ReactorFormulaRequest',
]

// The package names its types for CommonJS, where a default import is the module itself.
const standalone = standaloneModule as unknown as typeof standaloneModule.default
/** Schemas by the name that their function is found by. */
type Schemas = Record<string, object>

/** Writes `operations.json`, `dev-operations.json` and `validators/` into the folder `generated`. */
export async function compileValidators(whole: JsonObject, generated: URL): Promise<void> {
  const document = withoutDevelopment(whole)
  const folder = new URL('validators/', generated)
  // An operation that was renamed must not leave its validators behind.
  await rm(folder, { recursive: true, force: true })
  const open = await resolve(openDocument(document))
  const closed = await resolve(closedDocument(document))
  // Requests to a development server are closed too: a misspelled member must not be ignored.
  const development = await resolve(closedDocument(developmentOnly(whole)))
  const { body_bytes } = document['x-limits'] as { body_bytes: number }
  const describe = async (name: string, api: OpenAPIBackend) => {
    const operations = api.router.getOperations()
    const described = operations.map(operation => toOperation(operation, body_bytes))
    await writeFile(new URL(name, generated), JSON.stringify(described))
    return operations.map(({ operationId }) => operationId as string)
  }
  const ids = await describe('operations.json', open)
  const devIds = await describe('dev-operations.json', development)
  const requests = requestSchemas(open, ids)
  // Those of development servers are in one module, as they are seldom used and have much in common.
  const devRequests = { dev: inOne(requestSchemas(development, devIds)) }
  const problem = problemSchema(closed)
  const responses = {
    ...withoutProblems(responseSchemas(closed, ids), problem),
    dev: inOne(withoutProblems(responseSchemas(development, devIds), problem)),
    problem: { body: problem },
  }
  const components = (open.definition as unknown as { components: { schemas: Schemas } }).components.schemas
  const dataSchemas = Object.values(tokenTypesOf(document)).map(({ dataSchema }) => dataSchema)
  const checked = Object.fromEntries(
    [...checkedSchemas, ...dataSchemas].map(name => [name, { value: components[name] as object }]),
  )
  const write = async (name: string, ajv: Ajv, groups: readonly Group[]) => {
    await mkdir(new URL(`${name}/`, folder), { recursive: true })
    const put = (module: string, code: string) => writeFile(new URL(`${name}/${module}.cjs`, folder), code)
    const files = groups.map(async group => {
      const [[first, schemas]] = group
      if (group.length === 1) return put(first, await compile(ajv, first, schemas))
      const shared = `${first}.shared`
      await put(shared, await compile(ajv, shared, inOne(Object.fromEntries(group))))
      await Promise.all(group.map(([module]) => put(module, partOf(shared, module))))
    })
    await Promise.all(files)
  }
  await Promise.all([
    // Stops at the first error: enough for a request that is as it should be.
    write('requests', validatorCompiler({ thorough: false }), apart(requests)),
    write('refusals', validatorCompiler({ thorough: true }), apart({ ...requests, ...devRequests })),
    write('schemas', validatorCompiler({ thorough: false }), apart(checked)),
    write('schema-refusals', validatorCompiler({ thorough: true }), apart(checked)),
    write('responses', validatorCompiler({ thorough: true, verbose: false }), together(responses)),
  ])
}

async function resolve(definition: JsonObject): Promise<OpenAPIBackend> {
  const api = new OpenAPIBackend({
    // The constructor's types know no `x-` members; its reader takes any document.
    definition: definition as unknown as string,
    quick: true,
    // In place of a compiler: the schemas themselves are wanted, compiled together later.
    customizeAjv: () => ({ compile: (schema: object) => schema }) as unknown as Ajv,
  })
  await api.init()
  return api
}

/** The schemas of each operation: one for the body, if it takes one, and one for the parameters. */
function requestSchemas({ validator }: OpenAPIBackend, ids: readonly string[]): Record<string, Schemas> {
  return byId(ids, id => Object.entries(validator.getRequestValidatorsForOperation(id) ?? []))
}

function responseSchemas({ validator }: OpenAPIBackend, ids: readonly string[]): Record<string, Schemas> {
  return byId(ids, id => {
    const bodies = Object.entries(validator.getStatusBasedResponseValidatorForOperation(id) ?? {})
    const headers = Object.entries(validator.getResponseHeadersValidatorForOperation(id) ?? {})
    return [
      ...bodies.map(([status, schema]) => [`${status} body`, schema] as const),
      ...headers.map(([status, byMatch]) => [`${status} headers`, byMatch.any] as const),
    ]
  })
}

function problemSchema(closed: OpenAPIBackend): object {
  const { schemas } = (closed.definition as unknown as { components: { schemas: Schemas } }).components
  return schemas.Problem as object
}

/** Leaves out the bodies of errors: all are problem documents, whose validator would be most of each module. */
function withoutProblems(schemas: Record<string, Schemas>, problem: object): Record<string, Schemas> {
  const text = JSON.stringify(problem)
  const kept = Object.entries(schemas).map(([id, own]) => [
    id,
    Object.fromEntries(
      Object.entries(own).filter(
        ([name, schema]) => !/^[45].. body$/.test(name) || JSON.stringify(schema) !== text,
      ),
    ),
  ])
  return Object.fromEntries(kept)
}

/** Puts the schemas of all operations into one module, with the operation's id before each name. */
function inOne(schemas: Record<string, Schemas>): Schemas {
  const named = Object.entries(schemas).flatMap(([id, own]) =>
    Object.entries(own).map(([name, schema]) => [`${id} ${name}`, schema] as const),
  )
  return Object.fromEntries(named)
}

type Named = readonly [module: string, schemas: Schemas]
type Group = [Named, ...Named[]]

const apart = (modules: Readonly<Record<string, Schemas>>) =>
  Object.entries(modules).map((one): Group => [one])

/** Groups modules whose largest schema is the same, as it would be most of each of them. */
function together(modules: Readonly<Record<string, Schemas>>): Group[] {
  const groups = new Map<string, Group>()
  for (const one of Object.entries(modules)) {
    const texts = Object.values(one[1]).map(schema => JSON.stringify(schema))
    const largest = texts.reduce((a, b) => (b.length > a.length ? b : a), '')
    const group = groups.get(largest)
    if (group) group.push(one)
    else groups.set(largest, [one])
  }
  return [...groups.values()]
}

/** Returns the code of a module that takes its functions from a shared one. */
function partOf(shared: string, module: string): string {
  const begin = JSON.stringify(`${module} `)
  return `exports.compile = formats =>
  Object.fromEntries(
    Object.entries(require('./${shared}.cjs').compile(formats))
      .filter(([name]) => name.startsWith(${begin}))
      .map(([name, validate]) => [name.slice(${begin}.length), validate]),
  )
`
}

/** The builder hands out schemas where its types have the functions of a compiler. */
function byId(ids: readonly string[], schemasOf: (id: string) => readonly (readonly [string, unknown])[]) {
  return Object.fromEntries(ids.map(id => [id, Object.fromEntries(schemasOf(id)) as Schemas]))
}

/**
 * Returns a module whose `compile` takes the formats and returns the functions by name. Equal schemas share one. Each
 * operation has a module of its own: reading all of them takes longer than all else that a first request does.
 */
async function compile(ajv: Ajv, module: string, schemas: Schemas): Promise<string> {
  const exportOf = new Map<string, string>()
  const table = Object.entries(schemas).map(([name, schema]) => {
    const key = `${module} ${name}`
    const text = JSON.stringify(schema)
    if (!exportOf.has(text)) {
      ajv.addSchema(schema, key)
      exportOf.set(text, key)
    }
    return [name, exportOf.get(text) as string] as const
  })
  const variables = new Map([...exportOf.values()].map((key, index) => [key, `v${index}`]))
  const code = standalone(ajv, Object.fromEntries([...variables].map(([key, variable]) => [variable, key])))
  const members = table.map(([name, shared]) => `${JSON.stringify(name)}: v.${variables.get(shared)}`)
  const { outputFiles } = await build({
    stdin: {
      contents: `${code}\nconst v = exports; module.exports = {${members.join(',')}}`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      loader: 'js',
    },
    bundle: true,
    write: false,
    minify: true,
    legalComments: 'inline',
    target: 'es2023',
    format: 'iife',
    globalName: 'exported',
    // In parentheses, a function is compiled when it is read, and not read a second time.
    banner: { js: 'exports.compile = (function (formats) {' },
    footer: { js: 'return exported })' },
  })
  return outputFiles[0]?.text ?? ''
}
