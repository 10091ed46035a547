/** A flag of the command. */
interface Flag {
  readonly type: 'string' | 'boolean'
  readonly multiple: boolean
  /** True for keys and secrets, which are never shown. */
  readonly secret: boolean
  /** The flag with its value: `--claim FEATURE …`. */
  readonly usage: string
  readonly help: string
}

/** All flags, as the help shows them. Those before `target` can also be members of the target file and environment variables. */
const texts: Readonly<Record<string, string>> = {
  'base-url URL': 'URL of the server',
  'private-key KEY': 'of an application that may do everything with tokens and reveal them',
  'public-key KEY': 'of a public application',
  'management-key KEY': 'of a management application',
  'other-private-key KEY': 'of another tenant',
  'other-management-key KEY': 'of a management application of that tenant',
  'masked-key KEY': 'of a private application that reads and searches every token masked',
  'redacted-key KEY': 'of one that reads them without data',
  'limited-key KEY': 'of one that holds token:use only',
  'header-prefix NAME': 'prefix of header names (SVC)',
  'clock-url URL': 'moves the server\'s time forward on POST {"advance_ms": n}',
  'callback-host HOST': 'name or address of this machine for the server',
  'webhook-secret SECRET': 'secret that signs webhooks',
  'claim FEATURE …': 'a feature that the server has; all by default',
  'name TEXT': 'name of the server, for the report',
  'server-version TEXT': 'its version',
  'contact TEXT': 'who to ask about the report',
  'search-lag MS': 'longest time until a write shows in searches, in milliseconds (5000)',
  'capability NAME …': 'a further capability of the server',
  'timeout MS': 'for one response, and for a webhook, in milliseconds (20000)',
  'concurrency N': 'cases that run at the same time (8)',
  'limit SECONDS': 'for the whole run, in seconds (900)',
  'skip ID=REASON …': 'leave a requirement or case out; the result is partial',
  'expected FILE':
    'YAML or JSON of known failures, as ID: reason; any other failure, or a pass of one of them, fails',
  'target FILE': 'YAML or JSON with any of the above as members',
  'profile core|surrogate': 'requirements to check (core)',
  'only ID …': "only these requirements or cases, such as 'TOK-*'; the result is partial",
  'rerun-failed REPORT': 'only the cases that did not pass in this report.json; the result is partial',
  'section SECTION …': 'only these sections, such as 4.2',
  'seed N': 'order of the cases; each run prints its seed',
  'through http|sdk': 'send plain requests (http) or use the TypeScript client',
  'report DIR': 'write report.json, report.html, junit.xml and badge.json',
  'print-config': 'print the settings without secrets, and exit',
  list: 'print the cases, and exit',
  json: 'with --list: as JSON',
  version: 'print the version of the suite, and exit',
  help: 'print this, and exit',
}

export const flags: Readonly<Record<string, Flag>> = Object.fromEntries(
  Object.entries(texts).map(([usage, help]) => {
    const [name = '', value, more] = usage.split(' ')
    const secret = value === 'KEY' || value === 'SECRET'
    return [name, { type: value ? 'string' : 'boolean', multiple: more === '…', secret, usage, help }]
  }),
)

/** Names of flags that can also be members of the target file and environment variables. */
export const ofTarget = Object.keys(flags).slice(0, Object.keys(flags).indexOf('target'))
