import type { Capability } from './capabilities.ts'
import type { Case } from './harness/case.ts'
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
  'http',
  'idempotency',
] as const

export type Feature = (typeof features)[number]

export const isFeature = (name: string): name is Feature => features.some(feature => feature === name)

/** The feature of a requirement by the area of its id. */
const areas: Readonly<Record<string, Feature>> = {
  TOK: 'tokens',
  TKZ: 'tokens',
  PAG: 'tokens',
  EXP: 'tokens',
  DAT: 'types',
  TYP: 'types',
  LIM: 'types',
  SEA: 'search',
  AUT: 'access',
  APP: 'access',
  ACC: 'access',
  LOG: 'access',
  FOR: 'formulas',
  REA: 'reactors',
  INV: 'reactors',
  SES: 'sessions',
  ERR: 'http',
  WIR: 'http',
  IDE: 'idempotency',
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

/** Operations of other features than that of the requirement's area. */
const operations: Readonly<Record<string, Feature>> = {
  tokens: 'tokens',
  reactorFormulas: 'formulas',
  reactors: 'reactors',
  sessions: 'sessions',
}

/** Returns the features that a case tests: it is run if a run claims all of them. */
export function featuresOf(one: Case, requirement: Requirement): ReadonlySet<Feature> {
  const area = areas[one.id.slice(0, 3)] ?? 'http'
  const operationsOf = requirement.operations.flatMap(id => {
    if (id === 'tokens.search') return ['search' as const]
    const feature = operations[id.split('.')[0] ?? '']
    return feature ? [feature] : []
  })
  const needs = [...requirement.needs, ...one.needs].flatMap(name => needed[name] ?? [])
  return new Set([area, ...operationsOf, ...needs])
}
