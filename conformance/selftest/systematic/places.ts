import { readdirSync } from 'node:fs'

/** The files of the server that hold the rules that callers see, by folder. Others keep bytes, processes and sockets. */
const places: Readonly<Record<string, readonly string[]>> = {
  access: ['caller', 'check-rights', 'containers', 'expression-rights', 'rules', 'session', 'visibility'],
  base: ['check-digits', 'date-time', 'expiration', 'merge-patch', 'moments', 'page'],
  formulas: ['cast', 'definitions', 'name-filter', 'update'],
  generated: ['facts'],
  http: ['idempotency', 'lifecycle', 'perform-once'],
  reactors: ['arguments', 'configuration', 'update'],
  search: ['clauses', 'compile', 'index-expressions', 'parse'],
  sessions: ['authorize', 'create'],
  tokens: [
    'create',
    'cvc',
    'deduplicate',
    'delete',
    'draft',
    'id',
    'id-holds-data',
    'list',
    'mask',
    'read',
    'show',
    'token',
    'update',
    'update-rights',
  ],
  'tokens/payloads': ['detokenize', 'fill-references', 'find-references', 'plan', 'references', 'tokenize'],
  webhooks: ['body', 'choose', 'schedule', 'sign'],
}

const files = new Set(
  Object.entries(places).flatMap(([folder, names]) => names.map(name => `${folder}/${name}.ts`)),
)

/** @param file path from the folder of the server's sources */
export const isMutated = (file: string): boolean => files.has(file)

/**
 * Names the validators that decide on a request or a value, such as `requests/tokens.get`. Those of `refusals` only explain,
 * and those of `responses` only run in tests.
 * @param folder of the validators
 */
export const mutatedValidators = (folder: string): readonly string[] =>
  ['requests', 'schemas'].flatMap(kind =>
    readdirSync(`${folder}/${kind}`)
      .sort()
      .map(name => `${kind}/${name.replace(/\.cjs$/, '')}`),
  )
