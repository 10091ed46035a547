import { type Call, fieldNames, type Shown } from './call.ts'
import type { Places } from './places.ts'

/** What is at a place at one moment. */
export interface State {
  readonly token?: Shown
  /** The time of creation of the last token that was there, if known. */
  readonly last: string
}

/** A request as one place sees it. */
export interface Step {
  readonly call: Call
  readonly isRead: boolean
  /** Returns the state after it. `undefined` if it could not have had this outcome in this state. */
  apply(state: State): State | undefined
}

function isSame(one: Shown | undefined, other: Shown): boolean {
  return (
    one !== undefined &&
    one.id === other.id &&
    one.mark === other.mark &&
    one.createdAt === other.createdAt &&
    fieldNames.every(name => one.fields[name] === other.fields[name])
  )
}

function reading(call: Call, isSo: (state: State) => boolean): Step {
  return { call, isRead: true, apply: state => (isSo(state) ? state : undefined) }
}

function writing(call: Call, apply: (state: State) => State | undefined): Step {
  return { call, isRead: false, apply }
}

/** Returns the step of a request for one token. */
export function stepOf(call: Call, places: Places): Step {
  const { request, answer } = call
  if (request.do === 'create') return createStep(call, places)
  if (request.do === 'page') throw new Error('a page concerns many places')
  const { id } = request
  if (answer?.is === 'absent') return reading(call, ({ token }) => token?.id !== id)
  const shown = answer?.is === 'token' ? answer.token : undefined
  if (request.do === 'read') return reading(call, ({ token }) => shown?.id === id && isSame(token, shown))
  return writing(call, ({ token, last }) => {
    if (token?.id !== id) return undefined
    if (request.do === 'delete') return answer?.is === 'token' ? undefined : { last }
    const next = { ...token, fields: { ...token.fields, [request.field]: request.text } }
    return shown && !isSame(next, shown) ? undefined : { token: next, last }
  })
}

function createStep(call: Call, places: Places): Step {
  const { request, answer } = call
  if (request.do !== 'create') throw new Error('not a create')
  const { mark, group, id, value } = request
  if (answer?.is === 'taken') return reading(call, ({ token }) => id !== undefined && token !== undefined)
  if (answer?.is === 'token' && !answer.isNew) {
    return reading(call, ({ token }) => value !== undefined && isSame(token, answer.token))
  }
  const made = places.made(mark) ?? { id: id ?? `unknown ${mark}`, createdAt: '' }
  const first: Shown = { id: made.id, mark, fields: { a: '', b: '', group }, createdAt: made.createdAt }
  return writing(call, ({ token, last }) => {
    if (token !== undefined || (id !== undefined && first.id !== id)) return undefined
    if (answer?.is === 'token' && !isSame(first, answer.token)) return undefined
    return { token: first, last: first.createdAt || last }
  })
}

/** A page of a list or search: the tokens of one moment, within a range of times. */
export interface Page {
  readonly call: Call
  readonly tokens: readonly Shown[]
  readonly group?: string
  /** All tokens created before this time, and not before `since`, are on the page. */
  readonly before?: string
  readonly since: string
  /** When the newest token of the page was created. All older ones have been created, too. */
  readonly newest: string
}

export function pageOf(call: Call): Page | undefined {
  const { request, answer } = call
  if (request.do !== 'page' || answer?.is !== 'page') return undefined
  const { tokens, isLast } = answer
  const { group, after } = request
  return {
    call,
    tokens,
    ...(group === undefined ? {} : { group }),
    ...(after === undefined ? {} : { before: after }),
    since: isLast ? '' : (tokens.at(-1)?.createdAt ?? ''),
    newest: tokens[0]?.createdAt ?? '',
  }
}

/** Returns the step of a page at a place. `undefined` if the page says nothing about it. */
export function stepOfPage(page: Page, shown: Shown | undefined, times: readonly string[]): Step | undefined {
  const { call, group, before, since, newest } = page
  if (shown) return reading(call, ({ token }) => isSame(token, shown))
  const isIn = (time: string) => time >= since && (before === undefined || time < before)
  const created =
    times
      .filter(time => time < newest)
      .sort()
      .at(-1) ?? ''
  if (created === '' && !times.some(isIn)) return undefined
  return reading(call, ({ token, last }) => {
    if (last < created) return false
    if (!token || token.createdAt === '' || !isIn(token.createdAt)) return true
    return group !== undefined && token.fields.group !== group
  })
}
