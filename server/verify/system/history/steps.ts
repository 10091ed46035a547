import { type Call, fieldNames, type Shown } from './call.ts'

/**
 * The place of a token, which only one token at a time can have: its id, if the client chose it, or the value that is
 * deduplicated. Any other token has one of its own. What happens at one place is independent of all others.
 */
export type Place = string

/** Where the tokens of a history are, and what is known of each create. */
export interface Places {
  /** Returns the place of an id. `undefined` if no create is known to have led to it. */
  of(id: string): Place | undefined
  /** Returns the id and time of the token that the create with this mark made, if a response has shown them. */
  made(mark: string): Pick<Shown, 'id' | 'createdAt'> | undefined
  /** Returns the known times of the tokens at a place. */
  times(place: Place): readonly string[]
}

type Create = Extract<Call['request'], { do: 'create' }>

export function placeOf({ id, value, mark }: Create): Place {
  if (id !== undefined) return `id ${id}`
  return value === undefined ? `mark ${mark}` : `value ${value}`
}

export function shownIn({ answer }: Call): readonly Shown[] {
  if (answer?.is === 'token') return [answer.token]
  return answer?.is === 'page' ? answer.tokens : []
}

/** Collects all tokens that responses show. Reports those that contradict each other. */
export function findPlaces(calls: readonly Call[], report: (fault: string) => void): Places {
  const creates = calls.map(({ request }) => request).filter(request => request.do === 'create')
  const ofMark = new Map(creates.map(create => [create.mark, placeOf(create)]))
  const ofId = new Map(creates.flatMap(create => (create.id ? [[create.id, placeOf(create)] as const] : [])))
  const made = new Map<string, Shown>()
  const times = new Map<Place, string[]>()
  for (const token of calls.flatMap(shownIn)) {
    const known = made.get(token.mark)
    if (known) {
      if (known.id !== token.id) report(`create ${token.mark} made two tokens, ${known.id} and ${token.id}`)
      else if (known.createdAt !== token.createdAt)
        report(`${token.id} has two times of creation: ${known.createdAt} and ${token.createdAt}`)
      continue
    }
    made.set(token.mark, token)
    const place = ofMark.get(token.mark)
    if (place === undefined) {
      report(`${token.id} was never sent`)
      continue
    }
    if ((ofId.get(token.id) ?? place) !== place) report(`two tokens have the id ${token.id}`)
    ofId.set(token.id, place)
    times.set(place, [...(times.get(place) ?? []), token.createdAt])
  }
  return { of: id => ofId.get(id), made: mark => made.get(mark), times: place => times.get(place) ?? [] }
}

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
  if (answer?.is === 'token' && !answer.isNew)
    return reading(call, ({ token }) => value !== undefined && isSame(token, answer.token))
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
