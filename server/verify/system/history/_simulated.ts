import type { Answer, Call, Field, Request, Shown } from './call.ts'
import { shownIn } from './places.ts'

/** A correct server in memory, each of whose requests takes effect in one step. */
class SimulatedServer {
  readonly #tokens: (Shown & { readonly value?: string })[] = []
  #time = 0

  perform(request: Request): Answer {
    if (request.do === 'create') return this.#create(request)
    if (request.do === 'page') return this.#page(request)
    const at = this.#tokens.findIndex(({ id }) => id === request.id)
    const token = this.#tokens[at]
    if (!token) return { is: 'absent' }
    if (request.do === 'delete') {
      this.#tokens.splice(at, 1)
      return { is: 'done' }
    }
    if (request.do === 'read') return { is: 'token', token, isNew: false }
    const next = { ...token, fields: { ...token.fields, [request.field]: request.text } }
    this.#tokens[at] = next
    return { is: 'token', token: next, isNew: false }
  }

  #create({ mark, group, id, value }: Extract<Request, { do: 'create' }>): Answer {
    const original = value === undefined ? undefined : this.#tokens.find(token => token.value === value)
    if (original) return { is: 'token', token: original, isNew: false }
    if (id !== undefined && this.#tokens.some(token => token.id === id)) return { is: 'taken' }
    const createdAt = String(++this.#time).padStart(6, '0')
    const token = {
      id: id ?? `made ${mark}`,
      mark,
      fields: { a: '', b: '', group },
      createdAt,
      ...(value === undefined ? {} : { value }),
    }
    this.#tokens.unshift(token)
    return { is: 'token', token, isNew: true }
  }

  #page({ group, after }: Extract<Request, { do: 'page' }>): Answer {
    const matching = this.#tokens.filter(({ fields }) => group === undefined || fields.group === group)
    const rest = matching.filter(({ createdAt }) => after === undefined || createdAt < after)
    const tokens = rest.slice(0, 3)
    return { is: 'page', tokens, total: matching.length, isLast: tokens.length === rest.length }
  }
}

/** A choice of the simulation: any number, used as often as it is asked. */
export type Choice = (options: number) => number

/**
 * Simulates clients of a server. Each request is sent, takes effect or not, and is answered or not, in an order of its
 * own. Returns what the clients saw.
 */
export function simulate(choose: Choice, steps: number): Call[] {
  const server = new SimulatedServer()
  const calls: Call[] = []
  const open: { from: number; request: Request; answer?: Answer }[] = []
  const fields: readonly Field[] = ['a', 'b', 'group']
  let count = 0
  /** Clients know only ids that they chose, or were shown. */
  const known = ['own 0', 'own 1']
  const id = () => known[choose(known.length)] ?? 'own 0'
  const draw = (n: number): Request => {
    const group = `g${choose(2)}`
    const kind = choose(10)
    if (kind < 1) return { do: 'create', mark: `m${n}`, group }
    if (kind < 2) return { do: 'create', mark: `m${n}`, group, id: `own ${choose(2)}` }
    if (kind < 4) return { do: 'create', mark: `m${n}`, group, value: `v${choose(2)}` }
    if (kind < 6) {
      const field = fields[choose(3)] ?? 'a'
      return { do: 'update', id: id(), field, text: field === 'group' ? group : `t${n}` }
    }
    if (kind < 7) return { do: 'delete', id: id() }
    if (kind < 8) return { do: 'read', id: id() }
    const after = choose(3) ? {} : { after: String(choose(count + 1)).padStart(6, '0') }
    return choose(2) ? { do: 'page', ...after } : { do: 'page', group, ...after }
  }
  const end = (one: (typeof open)[number], isAnswered: boolean) => {
    open.splice(open.indexOf(one), 1)
    const { from, request, answer } = one
    const seen = isAnswered && answer ? { to: ++count, answer } : {}
    const call = { client: 'c', from, request, ...seen }
    calls.push(call)
    known.push(...shownIn(call).map(({ id }) => id))
  }
  for (let step = 0; step < steps; step++) {
    const one = open[choose(open.length + 1)]
    if (!one) {
      if (open.length < 4) open.push({ from: ++count, request: draw(count) })
    } else if (!one.answer) one.answer = server.perform(one.request)
    else end(one, choose(8) > 0)
  }
  for (const one of [...open]) end(one, true)
  return calls.sort((a, b) => a.from - b.from)
}
