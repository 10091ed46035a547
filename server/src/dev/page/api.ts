import type { Problem } from '../../generated/dev-client/generated/types.gen.ts'
import type { Access } from './keys.ts'

const { content: prefix = 'SVC' } = document.querySelector<HTMLMetaElement>('meta[name=surrogate]') ?? {}

/** The server refused a request. */
export class Refusal extends Error {
  readonly problem: Problem

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
    ...(key === undefined ? {} : { [`${prefix}-API-KEY`]: key }),
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
  const response = await fetch(path, {
    method,
    headers: {
      ...headersFor(path.startsWith('/_dev/') ? access : { token: '' }, key),
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
