import { invalid } from '../base/errors.ts'
import { errorPath, memberPath } from '../base/json/member-path.ts'

/** ProxyHeaders about the caller and its connection to this server, not about the target. */
const ofCaller = /^(cookie2?|origin|referer|connection|content-length)$|^(sec|access-control)-/

const mostBytes = 16 * 1024

export type ProxyHeaders = Readonly<Record<string, string>>

/**
 * Returns the headers that are sent on: not the API key or another header of this server, nor those that belong to the
 * connection or to a browser.
 * @param prefix of the headers of this server, in lower case
 */
export function headersToSend(
  given: Readonly<Record<string, string | undefined>>,
  prefix: string,
): ProxyHeaders {
  const named = new Set((given.connection ?? '').toLowerCase().split(/[\s,]+/))
  const entries = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  return Object.fromEntries(
    entries.filter(
      ([name = '']) => !name.startsWith(`${prefix}-`) && !ofCaller.test(name) && !named.has(name),
    ),
  )
}

/** Checks headers after data was put into them: nothing may end a line. @throws {ServiceError} validation */
export function checkHeaders(headers: ProxyHeaders): void {
  let bytes = 0
  for (const [name, value] of Object.entries(headers)) {
    const path = errorPath('headers', memberPath([name]))
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) throw invalid(path, 'is not the name of a header')
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw invalid(path, 'has characters that no header can have')
    bytes += name.length + value.length
  }
  if (bytes > mostBytes) throw invalid('headers', `come to more than ${mostBytes} bytes`)
}
