import { keyHeader } from './api.ts'
import type { Request } from './watch.ts'

/**
 * Returns a command that makes a request like this one. What the caller put into it is not kept: an id that names
 * nothing is a variable of the shell, and values of the body are their types.
 * @param key of the application that made it, if it is known
 */
export function curlOf({ method, path, body, idempotency_key }: Request, key: string | undefined): string {
  const address = `${location.origin}${path.replace(/{(\w+)}/g, (_, name) => `$${name.toUpperCase()}`)}`
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}"${address}"`]
  lines.push(key === undefined ? `-H "${keyHeader}: $KEY"` : `-H ${quoted(`${keyHeader}: ${key}`)}`)
  if (idempotency_key !== undefined) {
    lines.push(`-H ${quoted(`${keyHeader.replace('API', 'IDEMPOTENCY')}: ${idempotency_key}`)}`)
  }
  if (body !== undefined) {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    lines.push(`-H 'Content-Type: ${type}'`, `-d ${quoted(JSON.stringify(body, null, 2))}`)
  }
  return lines.join(' \\\n  ')
}

/** Writes a text so that a shell takes it as it is. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
