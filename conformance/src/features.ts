import type { Capability } from './capabilities.ts'
import { isObject } from './harness/finding.ts'
import type { Requirement } from './harness/requirements.ts'

/**
 * Parts of the service that a server can implement one by one, in the order in which it is best to do so. A run claims
 * all of them, or those named by `--claim`.
 */
export const features = [
  'tokens',
  'types',
  'search',
  'access',
  'tenants',
  'time',
  'formulas',
  'reactors',
  'asynchronous',
  'sessions',
  'payloads',
  'http',
  'idempotency',
  'logs',
] as const

export type Feature = (typeof features)[number]

export const isFeature = (name: string): name is Feature => features.some(feature => feature === name)

/**
 * The feature of a requirement by the area of its id. Those of every claim have none: their cases belong to the features
 * whose operations they send.
 */
const areas: Readonly<Record<string, Feature>> = {
  TOK: 'tokens',
  TKZ: 'payloads',
  PAG: 'tokens',
  EXP: 'tokens',
  DAT: 'types',
  TYP: 'types',
  LIM: 'types',
  SEA: 'search',
  AUT: 'access',
  APP: 'access',
  ACC: 'access',
  LOG: 'logs',
  FOR: 'formulas',
  REA: 'reactors',
  INV: 'reactors',
  SES: 'sessions',
  ERR: 'http',
  WIR: 'http',
  IDE: 'idempotency',
}

/**
 * Requirements of identification (who a caller is, and of which tenant), and of what holds for every response. They are
 * part of every claim, or of that of one feature.
 */
const ofEveryClaim: Readonly<Record<string, Feature | undefined>> = {
  'AUT-001': undefined,
  'AUT-011': undefined,
  'AUT-012': 'reactors',
  'AUT-013': undefined,
  'AUT-015': undefined,
  'AUT-020': undefined,
  'ERR-001': undefined,
  'FOR-017': 'formulas',
  'SES-017': 'sessions',
}

/** Features that a case needs besides that of its area, by what it asks of the target. */
const needed: Readonly<Partial<Record<Capability, Feature>>> = {
  clock: 'time',
  callbacks: 'asynchronous',
  'webhook-signature': 'asynchronous',
  applications: 'access',
  'masked-caller': 'access',
  'redacted-caller': 'access',
  'limited-caller': 'access',
  'second-tenant': 'tenants',
  'second-management': 'tenants',
}

/** Features that need a setting: without any of them, a case that needs the setting is of none that is claimed. */
const behind: Readonly<Partial<Record<Capability, readonly Feature[]>>> = {
  management: ['formulas', 'reactors', 'asynchronous', 'access', 'logs'],
  public: ['sessions', 'access'],
}

/** Features by the beginning of an operation's id. The first that fits counts. */
const operations: readonly (readonly [beginning: string, feature: Feature])[] = [
  ['tokens.search', 'search'],
  ['tokens.', 'tokens'],
  ['tokenize', 'payloads'],
  ['detokenize', 'payloads'],
  ['reactorFormulas.', 'formulas'],
  ['reactors.', 'reactors'],
  ['sessions.', 'sessions'],
  ['logs.', 'logs'],
  ['jobs.', 'asynchronous'],
  ['applications.', 'access'],
  ['tenants.', 'access'],
]

/** Returns the features that a request uses. */
export function featuresOfRequest(
  operation: string | undefined,
  headerNames: readonly string[],
  body: unknown,
): readonly Feature[] {
  const found = operations.find(([beginning]) => operation?.startsWith(beginning))
  const isKeyed = headerNames.some(name => /-idempotency-key$/i.test(name))
  const isTyped =
    operation === 'tokens.create' && isObject(body) && typeof body.type === 'string' && body.type !== 'token'
  return [
    ...(found ? [found[1]] : []),
    ...(isKeyed ? (['idempotency'] as const) : []),
    ...(isTyped ? (['types'] as const) : []),
  ]
}

/**
 * Returns the features that a case tests by what it is about and needs. While it runs, those are added whose operations it
 * sends. It is run if all are claimed.
 */
export function featuresOf(
  one: { readonly id: string; readonly needs: readonly Capability[] },
  requirement: Requirement,
  claims: readonly Feature[] = features,
): ReadonlySet<Feature> {
  const isOfEveryClaim = requirement.id in ofEveryClaim
  const area = isOfEveryClaim ? ofEveryClaim[requirement.id] : (areas[one.id.slice(0, 3)] ?? 'http')
  const needs = [...requirement.needs, ...one.needs]
  // A requirement on operations none of which is claimed, such as the permissions for formulas.
  const about = isOfEveryClaim
    ? []
    : requirement.operations.flatMap(id => featuresOfRequest(id, [], undefined))
  const isClaimed = about.length === 0 || about.some(feature => claims.includes(feature))
  return new Set([
    ...(area ? [area] : []),
    ...(isClaimed ? [] : about.slice(0, 1)),
    ...needs.flatMap(name => {
      const feature = needed[name]
      return feature && !(isOfEveryClaim && feature === 'tenants') ? [feature] : []
    }),
    ...needs.flatMap(name => {
      // Who a caller is concerns the public key only where sessions are made.
      const some = (isOfEveryClaim && name === 'public' ? ['sessions' as const] : behind[name]) ?? []
      return some.length === 0 || some.some(feature => claims.includes(feature)) ? [] : some.slice(0, 1)
    }),
  ])
}
