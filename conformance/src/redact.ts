import type { Exchange, Target } from './harness/target.ts'

/** Members of requests and responses whose values are credentials. */
const secretMembers = /"(key|session_key|nonce)"\s*:\s*"((?:[^"\\]|\\.)+)"/g

/** Shorter secrets, which only poor servers make, occur in other words by chance. */
const telling = 8

const shown = '[redacted]'

/** Replaces a secret; a short one only where it is a whole text, a whole value of JSON or of a header. */
function withoutSecret(text: string, secret: string): string {
  if (secret.length >= telling) return text.replaceAll(secret, shown)
  if (secret === '') return text
  const quoted = ['"', '\\"'].reduce(
    (all, quote) => all.replaceAll(quote + secret + quote, quote + shown + quote),
    text,
  )
  const lines = quoted
    .split('\n')
    .map(line => (line.endsWith(`: ${secret}`) ? line.slice(0, -secret.length) + shown : line))
  return lines.length === 1 && text === secret ? shown : lines.join('\n')
}

export interface Redact {
  (text: string, exchanges?: readonly Exchange[]): string
  /** The environment variable that holds a key of the settings, or `$KEY` for one that a case made. */
  variable(key: string): string
}

/** Returns a function that replaces keys, nonces and secrets in the texts of a report. */
export function redactor(target: Target): Redact {
  const variables: Readonly<Record<string, string | undefined>> = {
    PRIVATE_KEY: target.privateKey,
    PUBLIC_KEY: target.publicKey,
    MANAGEMENT_KEY: target.managementKey,
    MASKED_KEY: target.maskedKey,
    REDACTED_KEY: target.redactedKey,
    LIMITED_KEY: target.limitedKey,
    OTHER_PRIVATE_KEY: target.otherPrivateKey,
    OTHER_MANAGEMENT_KEY: target.otherManagementKey,
    WEBHOOK_SECRET: target.webhookSecret,
  }
  const known = Object.values(variables).filter(secret => secret !== undefined)
  const redact = (text: string, exchanges: readonly Exchange[] = []) => {
    const learned = exchanges.flatMap(({ text: answer, requestBody = '', requestHeaders }) => [
      ...[answer, requestBody].flatMap(one => [...one.matchAll(secretMembers)].map(match => match[2] ?? '')),
      ...Object.entries(requestHeaders).flatMap(([name, value]) =>
        /-(api|proxy)-key$/i.test(name) ? [value] : [],
      ),
    ])
    return [...known, ...learned].reduce(withoutSecret, text)
  }
  const variable = (key: string) => {
    const [name] = Object.entries(variables).find(([, value]) => value === key) ?? []
    return name === undefined ? '$KEY' : `$CONFORMANCE_${name}`
  }
  return Object.assign(redact, { variable })
}
