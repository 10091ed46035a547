/** The files of the server that hold the rules that callers see, by folder. Others keep bytes, processes and sockets. */
const places: Readonly<Record<string, readonly string[]>> = {
  access: [
    'application',
    'application-changes',
    'application-keys',
    'applications',
    'caller',
    'delegation',
    'keys',
    'rules',
    'session',
  ],
  base: ['check-digits', 'page'],
  'base/json': ['malformed-json', 'merge-patch'],
  'base/time': ['date-time', 'expiration'],
  contract: ['containers', 'formats'],
  egress: ['callback-url'],
  formulas: ['find', 'formula', 'list', 'name-filter', 'write-formula'],
  generated: ['facts'],
  'http/handlers': ['operations', 'replays'],
  'http/pipeline': ['idempotency', 'input', 'lifecycle', 'perform-once', 'routes'],
  reactors: ['arguments', 'list', 'outcome', 'prepare', 'react', 'reactor', 'write-reactor'],
  search: ['compile', 'parse', 'scan', 'terms', 'visibility'],
  sessions: ['authorize', 'create', 'end'],
  'storage/port': ['port'],
  tokens: [
    'create',
    'cursor',
    'derived',
    'deduplicate',
    'draft',
    'erase',
    'id-holds-data',
    'list',
    'read',
    'show',
    'token',
    'update',
    'update-rights',
  ],
  'tokens/payloads': [
    'detokenize',
    'replace-references',
    'kept-tokens',
    'plan-tokens',
    'references',
    'tokenize',
  ],
  webhooks: ['choose', 'deliver', 'job', 'perform', 'reaction', 'schedule', 'sign'],
}

/** Paths of all mutated files, from the folder of the server's sources. */
export const mutatedFiles: ReadonlySet<string> = new Set(
  Object.entries(places).flatMap(([folder, names]) => names.map(name => `${folder}/${name}.ts`)),
)

/** @param file path from the folder of the server's sources */
export const isMutated = (file: string): boolean => mutatedFiles.has(file)
