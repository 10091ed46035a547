import { useEffect, useState } from 'preact/hooks'
import { readEvents } from '../../generated/dev-client/events.ts'
import type {
  DevApplicationKey,
  DevConsoleLine,
  DevReactorLine,
  DevRecordedRequest,
  DevWebhook,
} from '../../generated/dev-client/generated/types.gen.ts'
import { headersFor, Refusal, send } from './api.ts'
import type { Access } from './keys.ts'

export type Request = DevRecordedRequest
export type Webhook = DevWebhook & { readonly is_cut?: boolean }
type LiveLine = DevConsoleLine & { readonly reactor_id: string }
export type Line = LiveLine & Partial<DevReactorLine>

/** What is shown of each list, newest first. */
const mostShown = 300
const pauseMs = 2000

export interface Watched {
  /** `back` is live again after the server was lost. */
  readonly state: 'connecting' | 'live' | 'lost' | 'back'
  /** Why the key was refused. Nothing comes any more. */
  readonly refusal?: Refusal | undefined
  readonly requests: readonly Request[]
  readonly webhooks: readonly Webhook[]
  readonly lines: readonly Line[]
  readonly applications: readonly DevApplicationKey[]
}

const nothing: Watched = { state: 'connecting', requests: [], webhooks: [], lines: [], applications: [] }

/** Watches a tenant: its events, and before them what happened until then. */
export function useWatch(access: Access): Watched {
  const [watched, set] = useState(nothing)
  useEffect(() => {
    set(nothing)
    const control = new AbortController()
    void watch(access, control.signal, change => set(change))
    return () => control.abort()
  }, [access.keys[0]?.key, access.token])
  return watched
}

type Change = (change: (before: Watched) => Watched) => void

async function watch(access: Access, signal: AbortSignal, change: Change): Promise<void> {
  const reader = new Reader(access, change)
  while (!signal.aborted) {
    try {
      await receiveEvents(access, signal, () => reader.opened(), reader.received)
    } catch (error) {
      if (signal.aborted) return
      const isFinal = error instanceof Refusal && error.problem.status !== 429 && error.problem.status < 500
      change(before => ({ ...before, state: 'lost', refusal: isFinal ? error : undefined }))
      // Another try with the same key would be refused again.
      if (isFinal) return
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
  }
}

/** Puts events into the lists, and reads from the server what these lack. */
class Reader {
  readonly #access: Access
  readonly #change: Change
  #catchingUp: Promise<void> | undefined

  constructor(access: Access, change: Change) {
    this.#access = access
    this.#change = change
  }

  opened(): void {
    this.#change(before => {
      // A server that was away may have started again, and counts its requests from 1.
      const kept = before.state === 'lost' ? { ...nothing, applications: before.applications } : before
      const state = before.state === 'lost' || before.state === 'back' ? 'back' : 'live'
      return { ...kept, state, refusal: undefined }
    })
    this.#catchUp()
  }

  readonly received = (name: string, data: unknown): void => {
    if (name === 'dropped') this.#catchUp()
    this.#change(before => {
      const after = withEvent(before, name, data)
      if (isUnnamed(after)) this.#catchUp()
      return after
    })
  }

  /** Adds what the server has kept: what happened while no stream was open, and the names of what is new. */
  #catchUp(): void {
    this.#catchingUp ??= this.#read()
      .catch(() => {})
      .finally(() => {
        this.#catchingUp = undefined
      })
  }

  async #read(): Promise<void> {
    const list = async <T>(path: string) =>
      (await send<{ data: T[] }>(this.#access, this.#access.keys[0]?.key, 'GET', path)).data
    const [applications, requests, webhooks, lines] = await Promise.all([
      list<DevApplicationKey>('/_dev/applications'),
      list<Request>('/_dev/requests'),
      list<Webhook>('/_dev/inbox'),
      list<DevReactorLine>('/_dev/console'),
    ])
    this.#change(before => ({
      ...before,
      applications,
      requests: merged(requests, before.requests),
      webhooks: latest([...webhooks, ...before.webhooks]),
      lines: [...newer(before.lines, lines), ...lines.reverse()].slice(0, mostShown),
    }))
  }
}

/** True if the newest request or line is of an application or reactor whose name is not known yet. */
function isUnnamed({ requests: [request], lines: [line], applications }: Watched): boolean {
  const isKnown = !request || applications.some(({ id }) => id === request.application_id)
  return !isKnown || (line !== undefined && line.reactor_name === undefined)
}

/** Returns the lines that the server has not listed, as they came later. */
function newer(live: readonly Line[], listed: readonly Line[]): Line[] {
  const last = listed.at(-1)?.at ?? ''
  return live.filter(({ at }) => at > last)
}

function merged(kept: readonly Request[], live: readonly Request[]): Request[] {
  const all = new Map([...kept, ...live].map(one => [one.number, one]))
  return [...all.values()].sort((a, b) => b.number - a.number).slice(0, mostShown)
}

/** Keeps each webhook with most of its attempts, the latest attempt first. */
function latest(webhooks: readonly Webhook[]): Webhook[] {
  const all = new Map<string, Webhook>()
  for (const one of webhooks) {
    if (one.attempts.length >= (all.get(one.id)?.attempts.length ?? 0)) all.set(one.id, one)
  }
  const at = ({ attempts }: Webhook) => Date.parse(attempts.at(-1)?.at ?? '')
  return [...all.values()].sort((a, b) => at(b) - at(a)).slice(0, mostShown)
}

function withEvent(before: Watched, name: string, data: unknown): Watched {
  switch (name) {
    case 'request':
      return { ...before, requests: merged([data as Request], before.requests) }
    case 'webhook':
      return { ...before, webhooks: latest([...before.webhooks, data as Webhook]) }
    case 'console': {
      const { reactor_id } = data as LiveLine
      const { reactor_name } = before.lines.find(line => line.reactor_id === reactor_id) ?? {}
      const line = { ...(data as LiveLine), ...(reactor_name === undefined ? {} : { reactor_name }) }
      return { ...before, lines: [line, ...before.lines].slice(0, mostShown) }
    }
    default:
      return before
  }
}

type Receive = (name: string, data: unknown) => void

/**
 * Reads events until the stream ends or `signal` aborts. `EventSource` cannot send headers, and a key in an address
 * would be kept in histories and logs.
 * @param opened is called when the server has accepted the request
 * @throws {Refusal}
 */
async function receiveEvents(
  access: Access,
  signal: AbortSignal,
  opened: () => void,
  receive: Receive,
): Promise<void> {
  const headers = headersFor(access, access.keys[0]?.key)
  const response = await fetch('/_dev/events', { headers, signal, cache: 'no-store' })
  if (!response.ok) throw new Refusal(await response.json())
  if (!response.body) return
  opened()
  for await (const { name, data } of readEvents(response.body)) receive(name, data)
}
