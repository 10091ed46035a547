import type { Call, Shown } from './call.ts'

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
