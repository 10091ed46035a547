import { isInDialect } from '../../contract/dialect.ts'
import { headerPrefix } from '../../generated/facts.ts'
import { linesOf, readProfile, withProfile } from '../../options/profile.ts'
import type { VaultOptions } from '../../options/vault-options.ts'
import { FormulaSandbox } from '../../sandbox/formula-sandbox.ts'
import type { Command } from './command.ts'

type Members = Readonly<Record<string, unknown>>
type Path = readonly (string | number)[]

export const checkProfileCommand: Command = {
  name: 'check-profile',
  summary: 'say what a profile does, and which of its lines do nothing',
  flags: [],
  operands: ['FILE'],
  details: [
    'Bundles and loads the modules and the client, as a server does at its start.',
    'The exit code is 0, also if lines do nothing, and 2 for a profile that a server refuses.',
  ],
  async run({ operands: [file = ''] }) {
    const options = withProfile({ profile: file })
    const { formulaModules: modules = [], formulaClient: client } = options
    const sandbox = new FormulaSandbox({
      modules,
      limits: { spares: 0 },
      ...(client === undefined ? {} : { client }),
    })
    try {
      await sandbox.checkModules()
    } finally {
      await sandbox.close()
    }
    const lineOf = linesOf(file)
    const useless = withoutEffect(readProfile(file), options).map(([path, why]) => ({
      line: lineOf(path),
      text: `${path.join('.')}: ${why}`,
    }))
    const shown = useless
      .sort((a, b) => a.line - b.line)
      .map(({ line, text }) => `line ${line} does nothing, ${text}`)
    return [...describe(options), ...shown, ''].join('\n')
  },
}

function describe(options: VaultOptions): string[] {
  const { formulaMapOrigins = {}, proxyMapOrigins = {}, proxyAllowOrigins = [], dialect } = options
  const mapped = (what: string, origins: Readonly<Record<string, string>>) =>
    Object.entries(origins).map(([from, to]) => `${what} ${from} go to ${to}`)
  return [
    ...(options.headerPrefix === undefined ? [] : [`headers begin with ${options.headerPrefix}-`]),
    ...(options.formulaModules ?? []).map(
      module => `formulas may require ${module.replace('=', ', which is ')}`,
    ),
    ...(options.formulaClient === undefined ? [] : [`formulas get the client of ${options.formulaClient}`]),
    ...mapped('requests of formulas to', formulaMapOrigins),
    ...proxyAllowOrigins.map(origin => `/proxy sends on to ${origin}`),
    ...mapped('requests of /proxy to', proxyMapOrigins),
    ...(options.allowPrivateCallbacks ? ['webhooks may go to http URLs and private addresses'] : []),
    ...(dialect?.camelCaseMembers ? ['members may be in camelCase, and are answered so'] : []),
    ...(dialect?.cardDatesAsText ? ['the dates of cards may be texts of digits'] : []),
    ...(dialect?.privacy ? ['the privacy of a token names its container'] : []),
    ...(dialect?.problemsAsJson ? ['problem documents have the content type application/json'] : []),
    ...(dialect?.permissions === 'all'
      ? ['applications keep every permission that is not ours']
      : (dialect?.permissions ?? []).map(name => `applications keep the permission ${name}`)),
    ...Object.entries(dialect?.responseHeaders ?? {}).map(
      ([name, value]) => `responses have the header ${name}: ${value}`,
    ),
    ...Object.entries(dialect?.logEntityTypes ?? {}).map(
      ([own, name]) => `the log shows the kind ${own} as ${name}`,
    ),
  ]
}

/** Returns the places in a profile that change nothing, each with the reason. */
function withoutEffect(profile: Members, options: VaultOptions): [Path, string][] {
  const found: [Path, string][] = []
  const check = (isUseless: boolean, path: Path, why: string) => {
    if (isUseless) found.push([path, why])
  }
  check(
    profile.header_prefix === headerPrefix,
    ['header_prefix'],
    `headers begin with ${headerPrefix}- in any case`,
  )
  check(
    profile.allow_private_callbacks === false,
    ['allow_private_callbacks'],
    'they are not allowed in any case',
  )
  const dialects = (profile.dialects ?? []) as readonly string[]
  for (const [at, name] of ((profile.permissions ?? []) as readonly string[]).entries()) {
    const isOurs = !isInDialect({ permissions: 'all' }, name)
    check(isOurs, ['permissions', at], 'it is a permission of this server')
    check(
      !isOurs && dialects.includes('unknown-permissions'),
      ['permissions', at],
      'all are kept by the dialect',
    )
  }
  for (const [at, name] of dialects.entries()) {
    check(dialects.indexOf(name) !== at, ['dialects', at], 'it is there twice')
  }
  for (const [own, name] of Object.entries(
    (profile.log_entity_types ?? {}) as Readonly<Record<string, string>>,
  )) {
    check(own === name, ['log_entity_types', own], 'it is shown so in any case')
  }
  for (const member of ['origins', 'proxy_map_origins']) {
    for (const [from, to] of Object.entries((profile[member] ?? {}) as Readonly<Record<string, string>>)) {
      check(from === to, [member, from], 'it is the same origin')
    }
  }
  const { proxyMapOrigins = {} } = options
  for (const [at, origin] of ((profile.proxy_allow_origins ?? []) as readonly string[]).entries()) {
    check(
      Object.hasOwn(proxyMapOrigins, origin),
      ['proxy_allow_origins', at],
      'proxy_map_origins has it, too',
    )
  }
  return found
}
