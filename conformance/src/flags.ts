/** A flag of the command. */
interface Flag {
  readonly type: 'string' | 'boolean'
  readonly multiple?: true
  readonly value?: string
  readonly secret?: true
  readonly help: string
}

/** All flags. Those before `target` can also be members of the target file and environment variables. */
export const flags: Readonly<Record<string, Flag>> = {
  'base-url': { type: 'string', value: 'URL', help: 'URL of the server' },
  'private-key': {
    type: 'string',
    value: 'KEY',
    secret: true,
    help: 'of an application that may do everything with tokens and reveal them',
  },
  'public-key': { type: 'string', value: 'KEY', secret: true, help: 'of a public application' },
  'management-key': { type: 'string', value: 'KEY', secret: true, help: 'of a management application' },
  'other-private-key': { type: 'string', value: 'KEY', secret: true, help: 'of another tenant' },
  'other-management-key': {
    type: 'string',
    value: 'KEY',
    secret: true,
    help: 'of a management application of that tenant',
  },
  'masked-key': {
    type: 'string',
    value: 'KEY',
    secret: true,
    help: 'of a private application that reads and searches every token masked',
  },
  'redacted-key': { type: 'string', value: 'KEY', secret: true, help: 'of one that reads them without data' },
  'limited-key': { type: 'string', value: 'KEY', secret: true, help: 'of one that holds token:use only' },
  'header-prefix': { type: 'string', value: 'NAME', help: 'prefix of header names (SVC)' },
  'clock-url': {
    type: 'string',
    value: 'URL',
    help: 'moves the server\'s time forward on POST {"advance_ms": n}',
  },
  'callback-host': { type: 'string', value: 'HOST', help: 'name or address of this machine for the server' },
  'webhook-secret': { type: 'string', value: 'SECRET', secret: true, help: 'secret that signs webhooks' },
  claim: {
    type: 'string',
    multiple: true,
    value: 'FEATURE',
    help: 'a feature that the server has; all by default',
  },
  name: { type: 'string', value: 'TEXT', help: 'name of the server, for the report' },
  'server-version': { type: 'string', value: 'TEXT', help: 'its version' },
  contact: { type: 'string', value: 'TEXT', help: 'who to ask about the report' },
  'search-lag': {
    type: 'string',
    value: 'MS',
    help: 'longest time until a write shows in searches, in milliseconds (5000)',
  },
  capability: { type: 'string', multiple: true, value: 'NAME', help: 'a further capability of the server' },
  timeout: {
    type: 'string',
    value: 'MS',
    help: 'for one response, and for a webhook, in milliseconds (20000)',
  },
  concurrency: { type: 'string', value: 'N', help: 'cases that run at the same time (8)' },
  limit: { type: 'string', value: 'SECONDS', help: 'for the whole run, in seconds (900)' },
  skip: {
    type: 'string',
    multiple: true,
    value: 'ID=REASON',
    help: 'leave a requirement or case out; the result is partial',
  },
  expected: {
    type: 'string',
    value: 'FILE',
    help: 'YAML or JSON of known failures, as ID: reason; any other failure, or a pass of one of them, fails',
  },
  target: { type: 'string', value: 'FILE', help: 'YAML or JSON with any of the above as members' },
  profile: { type: 'string', value: 'core|surrogate', help: 'requirements to check (core)' },
  only: {
    type: 'string',
    multiple: true,
    value: 'ID',
    help: "only these requirements or cases, such as 'TOK-*'; the result is partial",
  },
  'rerun-failed': {
    type: 'string',
    value: 'REPORT',
    help: 'only the cases that did not pass in this report.json; the result is partial',
  },
  section: { type: 'string', multiple: true, value: 'SECTION', help: 'only these sections, such as 4.2' },
  seed: { type: 'string', value: 'N', help: 'order of the cases; each run prints its seed' },
  through: {
    type: 'string',
    value: 'http|sdk',
    help: 'send plain requests (http) or use the TypeScript client',
  },
  report: { type: 'string', value: 'DIR', help: 'write report.json, report.html, junit.xml and badge.json' },
  'print-config': { type: 'boolean', help: 'print the settings without secrets, and exit' },
  list: { type: 'boolean', help: 'print the cases, and exit' },
  json: { type: 'boolean', help: 'with --list: as JSON' },
  help: { type: 'boolean', help: 'print this, and exit' },
}

/** Names of flags that can also be members of the target file and environment variables. */
export const ofTarget = Object.keys(flags).slice(0, Object.keys(flags).indexOf('target'))
