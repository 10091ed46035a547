import { counts } from '../harness/context.ts'
import type { Profile } from '../harness/finding.ts'
import type { Exchange } from '../harness/target.ts'
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
