import { canonical, isObject } from '../../src/harness/finding.ts'

/** An expectation on a member of a response, by its JSON pointer. */
export type Expectation =
  | { readonly at: string; readonly equals: unknown; readonly isLiteral: boolean }
  | { readonly at: string; readonly present: true }
  | { readonly at: string; readonly differs: unknown }
  | { readonly at: string; readonly length: number }
  | { readonly at: string; readonly contains: readonly (readonly Expectation[])[] }

/** Tells whether a case notices changes of the responses that it gets. */
export interface Noticed {
  /** A body in place of the one that is looked at. Undefined removes it. */
  here(body: unknown): Promise<boolean>
  /** Another value in place of one, in all responses, wherever it is in a member of this name. */
  everywhere(name: string, value: unknown, other: unknown): Promise<boolean>
}

/** Number of members above which only some are tried one by one. */
const many = 40

/** Members that a case may expect to be absent. */
const mayBeAbsent = [
  ...['data', 'mask', 'metadata', 'containers', 'search_indexes', 'fingerprint', 'fingerprint_expression'],
  ...['expires_at', 'modified_at', 'modified_by', 'enrichments', 'cvc', 'application', 'tokens', 'raw'],
  ...['description', 'icon'],
]

const segment = (name: string | number) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`

/**
 * Returns what a case expects of a body. It changes one place at a time, and keeps each place whose change the case
 * notices: what it does not notice, it does not expect. A value is literal if the case also notices that it is another
 * one in all responses; otherwise it only has to be the same in them.
 */
export async function expectationsOf(
  value: unknown,
  noticed: Noticed,
  at = '',
  name = '',
): Promise<readonly Expectation[]> {
  if (!Array.isArray(value) && !isObject(value)) return ofLeaf(value, noticed, at, name)
  if (Array.isArray(value)) return (await noticed.here('mangled')) ? ofList(value, noticed, at, name) : []
  return (await noticed.here('mangled'))
    ? ofObject(value, noticed, at, name)
    : absentOf(value, noticed, at, true)
}

async function ofLeaf(value: unknown, noticed: Noticed, at: string, name: string): Promise<Expectation[]> {
  const other = otherThan(value)
  if (await noticed.here(other))
    return [{ at, equals: value, isLiteral: await noticed.everywhere(name, value, other) }]
  return (await noticed.here(undefined)) ? [{ at, present: true }] : []
}

async function ofObject(
  value: Record<string, unknown>,
  noticed: Noticed,
  at: string,
  name: string,
): Promise<readonly Expectation[]> {
  const names = Object.keys(value)
  if (names.length === 0) return ofLeaf(value, noticed, at, name)
  const isClosed = await noticed.here({ ...value, extra_member: 'extra' })
  const tried = names.length > many ? [names[0], names[names.length >> 1], names.at(-1)] : names
  const found: Expectation[][] = []
  for (const own of tried.filter(one => one !== undefined)) {
    const here = (inner: unknown) => noticed.here(withMember(value, own, inner))
    found.push([...(await expectationsOf(value[own], { ...noticed, here }, at + segment(own), own))])
  }
  if (isClosed && found.every(isWhole)) return [{ at, equals: value, isLiteral: true }]
  return [...found.flat(), ...(isClosed ? [] : await absentOf(value, noticed, at, false))]
}

/** Returns which members of an object, or also of those in it, a case expects to be absent or null. */
async function absentOf(
  value: Record<string, unknown>,
  noticed: Noticed,
  at: string,
  isDeep: boolean,
): Promise<Expectation[]> {
  const others = mayBeAbsent.filter(name => !(name in value))
  const noticesWith = (names: readonly string[]) =>
    noticed.here({ ...value, ...Object.fromEntries(names.map(name => [name, 'extra'])) })
  const found: Expectation[] = []
  if (await noticesWith(others))
    for (const name of others)
      if (await noticesWith([name])) found.push({ at: at + segment(name), equals: null, isLiteral: true })
  for (const [name, inner] of isDeep ? Object.entries(value) : []) {
    const here = (other: unknown) => noticed.here(withMember(value, name, other))
    if (isObject(inner))
      found.push(...(await absentOf(inner, { ...noticed, here }, at + segment(name), true)))
  }
  return found
}

async function ofList(
  value: readonly unknown[],
  noticed: Noticed,
  at: string,
  name: string,
): Promise<readonly Expectation[]> {
  const extra = isObject(value[0]) ? { ...value[0], id: 'extra' } : 'extra'
  const [isClosed, isFirst] = [await noticed.here([...value, extra]), await noticed.here([extra, ...value])]
  const isOrdered = value.length < 2 ? isFirst : await noticed.here([...value].reverse())
  const all = [...value.keys()]
  const found: (readonly Expectation[])[] = []
  for (const index of value.length > many ? [0, value.length >> 1, value.length - 1] : all) {
    const here = (inner: unknown) =>
      noticed.here(inner === undefined ? value.toSpliced(index, 1) : value.with(index, inner))
    found.push(
      await expectationsOf(value[index], { ...noticed, here }, isOrdered ? at + segment(index) : '', name),
    )
  }
  if (isClosed && isOrdered && value.length > 0 && found.every(isWhole))
    return [{ at, equals: value, isLiteral: true }]
  const length: Expectation[] = isClosed ? [{ at, length: value.length }] : []
  if (isOrdered) return [...length, ...found.flat()]
  const contains = found.filter(own => own.length > 0)
  return [...length, ...(contains.length === 0 ? [] : [{ at, contains }])]
}

/** True if the expectations on a member are that it has one literal value. */
const isWhole = ([first, ...more]: readonly Expectation[]) =>
  first !== undefined && more.length === 0 && 'equals' in first && first.isLiteral

/** Returns which members of a body must not be as the request had them: a mask instead of the data. */
export async function differencesOf(body: unknown, sent: unknown, noticed: Noticed): Promise<Expectation[]> {
  if (!isObject(body) || !isObject(sent)) return []
  const found: Expectation[] = []
  for (const [name, value] of Object.entries(sent))
    if (canonical(value) !== canonical(body[name]) && (await noticed.here({ ...body, [name]: value })))
      found.push({ at: segment(name), differs: value })
  return found
}

/** Returns the status that a case expects: exactly, by its class, or none. */
export async function expectedStatus(
  status: number,
  notices: (status: number) => Promise<boolean>,
): Promise<number | '2xx' | '4xx' | 'error' | undefined> {
  const isRefusal = status >= 400
  if (!(await notices(isRefusal ? 200 : 400))) return undefined
  if (await notices(isRefusal ? (status === 418 ? 422 : 418) : status === 200 ? 202 : 200)) return status
  if (!isRefusal) return '2xx'
  return (await notices(503)) ? '4xx' : 'error'
}

/** Returns a value with another one in place of `value`, wherever it is in a member `name`. */
export function replaced(whole: unknown, name: string, value: unknown, other: unknown, within = ''): unknown {
  if (within === name && canonical(whole) === canonical(value)) return other
  if (Array.isArray(whole)) return whole.map(inner => replaced(inner, name, value, other, within))
  if (!isObject(whole)) return whole
  return Object.fromEntries(
    Object.entries(whole).map(([key, inner]) => [key, replaced(inner, name, value, other, key)]),
  )
}

function withMember(value: Record<string, unknown>, name: string, inner: unknown) {
  const members = Object.entries(value).map(([key, old]) => [key, key === name ? inner : old] as const)
  return Object.fromEntries(members.filter(([, own]) => own !== undefined))
}

/** Returns another value of the same type. */
function otherThan(value: unknown): unknown {
  if (typeof value === 'string') return `${value}x`
  if (typeof value === 'number') return value + 1 === value ? 0 : value + 1
  if (typeof value === 'boolean') return !value
  return value === null ? 'x' : { x: 'x' }
}
