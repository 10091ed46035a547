import type { Call, Shown } from './call.ts'
import { findMisfit } from './linearize.ts'
import {
  findPlaces,
  type Page,
  type Place,
  type Places,
  pageOf,
  placeOf,
  type Step,
  shownIn,
  stepOf,
  stepOfPage,
} from './steps.ts'

/**
 * Judges what the clients of one tenant saw. Returns what cannot have happened at a correct server:
 *
 * - At each place (`Place`) there must be an order of all requests that explains all responses: so each answered
 *   write is visible afterwards, no read is stale, nothing that was deleted comes back, no update is lost, and a chosen
 *   id or a deduplicated value belongs to one token at a time. A page counts as a read of every place.
 * - Pages are strictly ordered, hold what was asked for, and show one moment: with a token, all older ones.
 * - Times of creation grow in the order of the creates, and totals fit.
 */
export function checkHistory(calls: readonly Call[]): string[] {
  const faults: string[] = []
  const report = (fault: string) => void faults.push(fault)
  const places = findPlaces(calls, report)
  const pages = calls.flatMap(call => pageOf(call) ?? [])
  for (const page of pages) checkPage(page, report)
  checkTimes(calls, report)
  const steps = stepsByPlace(calls, pages, places, report)
  for (const [place, own] of steps) {
    const misfit = findMisfit(own)
    if (misfit)
      report(`${place}: no order of the requests explains ${describe(misfit.call)}\n${story(own, misfit)}`)
  }
  checkTotals(calls, steps, report)
  return faults
}

function checkPage({ call, tokens, group, before }: Page, report: (fault: string) => void): void {
  const say = (fault: string) => report(`${fault}: ${describe(call)}`)
  tokens.forEach(({ id, createdAt, fields }, at) => {
    const older = tokens[at - 1]
    if (older && createdAt >= older.createdAt) say(`${id} is listed after ${older.id}, which is not newer`)
    if (before !== undefined && createdAt >= before) say(`${id} was on an earlier page`)
    if (group !== undefined && fields.group !== group) say(`${id} does not match`)
  })
}

/** Of two creates, one of which was answered before the other was sent, the second is later. */
function checkTimes(calls: readonly Call[], report: (fault: string) => void): void {
  const creates = calls.flatMap(({ request, answer, from, to }) =>
    request.do === 'create' && answer?.is === 'token' && answer.isNew && to !== undefined
      ? [{ from, to, token: answer.token }]
      : [],
  )
  const answered = [...creates].sort((a, b) => a.to - b.to)
  let latest: Shown | undefined
  for (const { from, token } of creates.sort((a, b) => a.from - b.from)) {
    while (answered[0] && answered[0].to < from) {
      const before = answered.shift()?.token
      if (before && before.createdAt > (latest?.createdAt ?? '')) latest = before
    }
    if (latest && token.createdAt <= latest.createdAt)
      report(`${token.id} was created after ${latest.id}, and its time is not later`)
  }
}

/** Divides a history by places. */
function stepsByPlace(
  calls: readonly Call[],
  pages: readonly Page[],
  places: Places,
  report: (fault: string) => void,
): Map<Place, Step[]> {
  const steps = new Map<Place, Step[]>()
  const add = (place: Place, step: Step) => {
    const own = steps.get(place)
    if (own) own.push(step)
    else steps.set(place, [step])
  }
  const seen = new Set(calls.flatMap(shownIn).flatMap(({ fields }) => [fields.a, fields.b]))
  for (const call of calls) {
    const { request, answer } = call
    if (request.do === 'page') continue
    // An update without a response, whose text nobody has seen, need not have happened.
    if (!answer && request.do === 'update' && request.field !== 'group' && !seen.has(request.text)) continue
    const place = request.do === 'create' ? placeOf(request) : places.of(request.id)
    if (place !== undefined) add(place, stepOf(call, places))
    else if (answer && answer.is !== 'absent') report(`${describe(call)}: there was no such token`)
  }
  for (const page of pages) {
    const shown = new Map<Place, Shown>()
    for (const token of page.tokens) {
      const place = places.of(token.id)
      if (place === undefined) continue
      const other = shown.get(place)
      if (other) report(`${other.id} and ${token.id} cannot exist at once: ${describe(page.call)}`)
      shown.set(place, token)
    }
    for (const place of steps.keys()) {
      const step = stepOfPage(page, shown.get(place), places.times(place))
      if (step) add(place, step)
    }
  }
  return steps
}

/** A total counts all tokens that certainly existed, and none that certainly did not. */
function checkTotals(
  calls: readonly Call[],
  steps: ReadonlyMap<Place, readonly Step[]>,
  report: (fault: string) => void,
): void {
  const lives = [...steps.values()].map(own => own.map(({ call }) => call))
  for (const call of calls) {
    const { request, answer, from, to } = call
    if (request.do !== 'page' || answer?.is !== 'page' || to === undefined) continue
    const { total, tokens, isLast } = answer
    if (total < tokens.length || (isLast && request.after === undefined && total > tokens.length))
      report(`total ${total} of ${tokens.length} tokens: ${describe(call)}`)
    if (request.group !== undefined) continue
    const least = lives.filter(life => certainlyExists(life, from, to)).length
    const most = lives.filter(life => mayExist(life, from, to)).length
    if (total < least || total > most)
      report(`total ${total}, but there were ${least} to ${most} tokens: ${describe(call)}`)
  }
}

const isNew = ({ request, answer }: Call) =>
  request.do === 'create' && (answer?.is === 'done' || (answer?.is === 'token' && answer.isNew))

const mayDelete = ({ request, answer }: Call) => request.do === 'delete' && answer?.is !== 'absent'

function certainlyExists(life: readonly Call[], from: number, to: number): boolean {
  const created = life.some(call => isNew(call) && (call.to ?? to) < from)
  return created && !life.some(call => mayDelete(call) && call.from < to)
}

function mayExist(life: readonly Call[], from: number, to: number): boolean {
  const creates = life.filter(
    call => call.from < to && (isNew(call) || (call.request.do === 'create' && !call.answer)),
  )
  if (creates.length === 0) return false
  return !life.some(
    ended =>
      ended.request.do === 'delete' &&
      ended.answer?.is === 'done' &&
      (ended.to ?? from) < from &&
      creates.every(call => (call.to ?? ended.from) < ended.from),
  )
}

function describe({ client, from, to, request, answer }: Call): string {
  const outcome =
    answer?.is === 'page' ? `${answer.tokens.length} of ${answer.total}` : JSON.stringify(answer)
  return `[${from} to ${to ?? '?'}] ${client}: ${JSON.stringify(request)} → ${outcome ?? 'unknown'}`
}

/** The requests at a place that may have to do with one of them. */
function story(steps: readonly Step[], misfit: Step): string {
  const to = misfit.call.to ?? Number.POSITIVE_INFINITY
  return steps
    .filter(step => step === misfit || (step.call.request.do !== 'page' && step.call.from <= to))
    .map(({ call }) => call)
    .sort((a, b) => a.from - b.from)
    .slice(-30)
    .map(call => `    ${describe(call)}`)
    .join('\n')
}
