import type { Contract } from '../../src/harness/contract.ts'
import type { Fetch } from '../../src/harness/transport.ts'
import { type Body, bodyOf, responseFrom } from '../mutate.ts'
import { SchemaMembers } from './schema-members.ts'

/** A fault put between the suite and the server, in the responses of one operation. */
export interface WireMutant {
  readonly name: string
  readonly operation: string
  readonly alter: Alter
}

/** Changes the body of a response, or returns the status to show instead of the real one. */
type Alter = (
  body: Body,
  status: number,
  firsts: ReadonlyMap<string, Body>,
) => { body: Body } | { status: number } | undefined

/**
 * Returns mutants for each operation: for each member of its response or of its list's items, one that leaves it out
 * and one that shows its first value for ever; for all its texts, some that change them as stores do; for lists, wrong
 * counts, missing, repeated and turned items; and for each refusal, one with another status and one whose problem has one.
 */
export function wireMutants(contract: Contract): WireMutant[] {
  const schemas = new SchemaMembers(contract.document)
  return contract.operations.flatMap(operation => {
    const success = Object.entries(operation.responses).find(([status]) => /^20[01]$/.test(status))?.[1]
    const schema = success?.content?.['application/json']?.schema
    const items = schema && schemas.itemsOf(schema)
    const members = schemas.of(items ?? schema ?? {}).filter(member => member !== 'enrichments')
    const made: [string, Alter][] = members.map(member => [
      `${member} left out`,
      onResources(leftOut(member)),
    ])
    if (operation.method !== 'POST')
      for (const member of members.filter(one => !neverChanged.has(one)))
        made.push([`${member} as it was first`, onResources(asItWas(member))])
    if (members.length > 0)
      for (const [fault, change] of Object.entries(textFaults))
        made.push([fault, onResources(everyText(change))])
    if (members.includes('data')) made.push(['nulls in data left out', onResources(withoutNulls)])
    if (items) made.push(...listFaults)
    for (const status of Object.keys(operation.responses).filter(one => /^4\d\d$/.test(one))) {
      made.push([`${status} as ${otherStatus(status)}`, refusedAs(Number(status), otherStatus(status))])
      made.push([`${status} with another status inside`, insideOf(Number(status))])
    }
    return made.map(([what, alter]) => ({
      name: `wire ${operation.id}: ${what}`,
      operation: operation.id,
      alter,
    }))
  })
}

/** Members whose first value is the present one. */
const neverChanged = new Set(['id', 'tenant_id', 'type', 'created_by', 'created_at', 'key'])

/** Puts a mutant between the suite and the server. */
export function withWireMutant(contract: Contract, { operation, alter }: WireMutant, next: Fetch): Fetch {
  return reading(contract, next, (response, { id, body, firsts }) => {
    if (id !== operation || (body === undefined && response.ok)) return response
    const altered = alter(body, response.status, firsts)
    return altered ? responseFrom(response, altered) : response
  })
}

/** Calls `note` with each mutant that would change a response. */
export function notingWireMutants(
  contract: Contract,
  mutants: readonly WireMutant[],
  note: (mutant: string) => void,
  next: Fetch,
): Fetch {
  return reading(contract, next, (response, { id, body, firsts }) => {
    const own = mutants.filter(one => one.operation === id && (body !== undefined || !response.ok))
    for (const { name, alter } of own) {
      const altered = alter(body, response.status, firsts)
      const differs =
        altered && ('status' in altered || JSON.stringify(altered.body) !== JSON.stringify(body))
      if (differs) note(name)
    }
    return response
  })
}

interface Read {
  /** Id of the operation. */
  readonly id: string | undefined
  readonly body: Body
  /** Resources by id, as they were first shown. */
  readonly firsts: ReadonlyMap<string, Body>
}

function reading(
  contract: Contract,
  next: Fetch,
  use: (response: Response, read: Read) => Response | Promise<Response>,
): Fetch {
  const firsts = new Map<string, Body>()
  return async request => {
    const { pathname } = new URL(request.url)
    const response = await next(request)
    const body = await bodyOf(response)
    for (const one of resourcesIn(body)) if (!firsts.has(one.id)) firsts.set(one.id, one)
    return use(response, { id: contract.operationOf(request.method, pathname)?.id, body, firsts })
  }
}

function resourcesIn(body: Body): Body[] {
  return (Array.isArray(body?.data) ? body.data : [body]).filter((one: Body) => typeof one?.id === 'string')
}

const isSuccess = (status: number) => status === 200 || status === 201

/** Changes the resource of a response, or each of its list. */
const onResources =
  (change: (resource: Body, first: Body) => Body): Alter =>
  (body, status, firsts) => {
    if (!isSuccess(status) || typeof body !== 'object' || body === null) return undefined
    const changed = (one: Body) => change(one, firsts.get(one?.id))
    const isList = Array.isArray(body.data) && body.pagination
    return { body: isList ? { ...body, data: body.data.map(changed) } : changed(body) }
  }

const leftOut = (member: string) => (resource: Body) => {
  const { [member]: _gone, ...rest } = resource
  return rest
}

const asItWas = (member: string) => (resource: Body, first: Body) =>
  first && Object.hasOwn(first, member) ? { ...resource, [member]: first[member] } : leftOut(member)(resource)

/** Changes that stores, encodings and forms make to texts. */
const textFaults: Readonly<Record<string, (text: string) => string>> = {
  'texts cut at 200': text => text.slice(0, 200),
  'texts trimmed': text => text.trim(),
  'texts escaped': text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  'texts composed': text => text.normalize('NFC'),
  'texts with other line ends': text => text.replaceAll('\r\n', '\n'),
}

const everyText = (change: (text: string) => string) => (resource: Body) =>
  JSON.parse(JSON.stringify(resource), (_name, inner) => (typeof inner === 'string' ? change(inner) : inner))

const withoutNulls = (resource: Body) => ({
  ...resource,
  data: JSON.parse(
    JSON.stringify(resource.data ?? null, (_name, inner) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).filter(([, value]) => value !== null))
        : inner,
    ),
  ),
})

const insideOf =
  (from: number): Alter =>
  (body, status) =>
    status === from && body ? { body: { ...body, status: 418 } } : undefined

const onList =
  (change: (items: Body[]) => Body[]): Alter =>
  (body, status) =>
    isSuccess(status) ? { body: { ...body, data: change(body.data) } } : undefined

const counted = (member: string, by: number): [string, Alter] => [
  `${member} ${by > 0 ? '+' : ''}${by}`,
  (body, status) =>
    isSuccess(status) && body.pagination
      ? { body: { ...body, pagination: { ...body.pagination, [member]: body.pagination[member] + by } } }
      : undefined,
]

const listFaults: readonly [string, Alter][] = [
  ...['total_items', 'page_number', 'page_size', 'total_pages'].flatMap(member => [
    counted(member, 1),
    counted(member, -1),
  ]),
  ['last item missing', onList(items => items.slice(0, -1))],
  ['first item missing', onList(items => items.slice(1))],
  ['first item twice', onList(items => [...items.slice(0, 1), ...items])],
  ['items turned', onList(items => items.toReversed())],
]

const otherStatus = (status: string) =>
  status === '404' ? 403 : status === '400' ? 409 : status === '403' ? 404 : 400

const refusedAs =
  (from: number, to: number): Alter =>
  (body, status) =>
    (status === from ? { status: to } : undefined) && {
      status: to,
      ...(body ? { body: { ...body, status: to } } : {}),
    }
