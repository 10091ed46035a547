import { counts } from '../harness/context.ts'
import type { Profile } from '../harness/finding.ts'
import type { Exchange } from '../harness/target.ts'
import type { Redact } from '../redact.ts'
import type { Result } from '../result.ts'

/** Maximum length of a body in a report, in characters. */
const longest = 2000

/** Returns the distinct findings that count in a profile. */
export function messagesOf(result: Result, profile: Profile): string[] {
  if (result.error !== undefined) return [`the suite failed: ${result.error}`]
  return [
    ...new Set(result.findings.filter(found => counts(found.profile, profile)).map(found => found.message)),
  ]
}

/** A finding with what it takes to see and to repeat it. */
export interface ShownFinding {
  readonly message: string
  /** The expected beside the found value, line by line. */
  readonly difference?: string
  /** The request and the response that show it. */
  readonly exchange?: string
  /** A command that sends the request again, with keys as environment variables. */
  readonly curl?: string
}

/** Returns the distinct findings that count in a profile. Without an exchange of its own, one has the last of the case. */
export function shownFindings(result: Result, profile: Profile, redact: Redact): ShownFinding[] {
  const { exchanges } = result
  return messagesOf(result, profile).map(message => {
    const found = result.findings.find(one => one.message === message)
    const exchange = found?.exchange ?? exchanges.at(-1)
    const all = exchange && !exchanges.includes(exchange) ? [...exchanges, exchange] : exchanges
    return {
      message: short(redact(message, all)),
      ...(found?.difference === undefined ? {} : { difference: redact(found.difference, all) }),
      ...(exchange && {
        exchange: redact(shownExchange(exchange), all),
        curl: curlOf(exchange, redact, all),
      }),
    }
  })
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function curlOf(
  { method, path, requestHeaders, requestBody }: Exchange,
  redact: Redact,
  all: readonly Exchange[],
): string {
  const headers = Object.entries(requestHeaders).map(([name, value]) =>
    /-api-key$/i.test(name)
      ? `-H "${name}: ${redact.variable(value)}"`
      : `-H ${quoted(`${name}: ${redact(value, all)}`)}`,
  )
  const body = requestBody === undefined ? [] : [`--data-binary ${quoted(short(redact(requestBody, all)))}`]
  return [
    'curl -i',
    `-X ${method}`,
    `"$CONFORMANCE_BASE_URL"${quoted(redact(path, all))}`,
    ...headers,
    ...body,
  ].join(' ')
}

/** Returns a request and its response as text, not redacted. */
export function shownExchange({
  method,
  path,
  requestHeaders,
  requestBody,
  status,
  headers,
  text,
}: Exchange): string {
  const shownHeaders = (all: Iterable<readonly [string, string]>) =>
    [...all].map(([name, value]) => `${name}: ${value}\n`).join('')
  return [
    `${method} ${path}\n${shownHeaders(Object.entries(requestHeaders))}`,
    requestBody === undefined ? '' : `\n${short(requestBody)}\n`,
    status === undefined ? '\n(no response)' : `\n${status}\n${shownHeaders(headers)}`,
    text === '' ? '' : `\n${short(text)}`,
  ].join('')
}

function short(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`
}
