import { useEffect, useState } from 'preact/hooks'
import type {
  DevConsoleLine,
  DevRecordedRequest,
  DevWebhook,
} from '../../generated/dev-client/generated/types.gen.ts'
import { Refusal, send } from './api.ts'
import type { Access } from './keys.ts'
import { receiveEvents } from './stream.ts'

/** Requests of formulas also have what their formula printed. */
export type Request = DevRecordedRequest
export type Webhook = DevWebhook & { readonly is_cut?: boolean }
export type Line = DevConsoleLine & { readonly reactor_id: string }

/** What is shown of each list, newest first. */
const mostShown = 300
const pauseMs = 2000

interface Watched {
  readonly state: 'connecting' | 'live' | 'lost'
  readonly refusal?: Refusal | undefined
  readonly requests: readonly Request[]
  readonly webhooks: readonly Webhook[]
  readonly lines: readonly Line[]
}

const nothing: Watched = { state: 'connecting', requests: [], webhooks: [], lines: [] }

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
  while (!signal.aborted) {
    try {
      const opened = () => {
        change(before => ({ ...before, state: 'live', refusal: undefined }))
        void catchUp(access, change).catch(() => {})
      }
      await receiveEvents(access, signal, opened, (name, data) => {
        if (name === 'dropped') void catchUp(access, change).catch(() => {})
        else change(before => withEvent(before, name, data))
      })
    } catch (error) {
      if (signal.aborted) return
      const refusal = error instanceof Refusal ? error : undefined
      change(before => ({ ...before, state: 'lost', refusal }))
      // Another try with the same key would be refused again.
      if (refusal && refusal.problem.status !== 429 && refusal.problem.status < 500) return
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
  }
}

/** Adds what the server has kept: events that came while no stream was open. */
async function catchUp(access: Access, change: Change): Promise<void> {
  const list = <T>(path: string) => send<{ data: T[] }>(access, access.keys[0]?.key, 'GET', path)
  const [requests, webhooks] = await Promise.all([
    list<Request>('/_dev/requests'),
    list<Webhook>('/_dev/inbox'),
  ])
  change(before => ({
    ...before,
    requests: merged(requests.data, before.requests),
    webhooks: latest([...webhooks.data, ...before.webhooks]),
  }))
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
    case 'console':
      return { ...before, lines: [data as Line, ...before.lines].slice(0, mostShown) }
    default:
      return before
  }
}
