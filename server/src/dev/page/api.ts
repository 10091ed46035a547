import { useState } from 'preact/hooks'
import type { Explanation, Problem } from '../../generated/dev-client/generated/types.gen.ts'
import type { Access } from './keys.ts'

const { content: prefix = 'SVC' } = document.querySelector<HTMLMetaElement>('meta[name=surrogate]') ?? {}

/** The name of the header for API keys. */
export const keyHeader = `${prefix}-API-KEY`

/** The beginning of the trace ids of what this page reads to show it. */
const ownTrace = 'dev-page-'

/** True for requests with which this page has read something. */
export const isOwn = ({ trace_id }: { readonly trace_id: string }) => trace_id.startsWith(ownTrace)

/** The server refused a request. */
export class Refusal extends Error {
  readonly problem: Problem & { readonly explanation?: Explanation | undefined }

  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

export function headersFor(
  { token }: Pick<Access, 'token'>,
  key: string | undefined,
): Record<string, string> {
  return {
    ...(key === undefined ? {} : { [keyHeader]: key }),
    ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
  }
}

/** Sends a request to this server. Keys travel in headers, never in the address. @throws {Refusal} */
export async function send<T>(
  access: Pick<Access, 'token'>,
  key: string | undefined,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const isOfDevelopment = path.startsWith('/_dev/')
  const isRead = method === 'GET' || path === '/tokens/search'
  const response = await fetch(path, {
    method,
    headers: {
      ...headersFor(isOfDevelopment ? access : { token: '' }, key),
      ...(isOfDevelopment || !isRead
        ? {}
        : { [`${prefix}-TRACE-ID`]: ownTrace + crypto.randomUUID().slice(0, 8) }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    cache: 'no-store',
  })
  const text = await response.text()
  const parsed = text === '' ? undefined : JSON.parse(text)
  if (!response.ok) throw new Refusal(parsed)
  return parsed
}

/** Runs actions, and keeps the error of the last one. Forms wait for it, unless it only reads (`isQuiet`). */
export function useAction() {
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const run = async (action: () => Promise<void>, isQuiet = false): Promise<void> => {
    setBusy(!isQuiet)
    setError(undefined)
    try {
      await action()
    } catch (failed) {
      setError(failed)
    } finally {
      setBusy(false)
    }
  }
  return { error, isBusy, run }
}
