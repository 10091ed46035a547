import type { Exchange, Target } from './harness/target.ts'

/** Members of responses whose values are credentials. */
const secretMembers = /"(key|session_key|nonce)"\s*:\s*"((?:[^"\\]|\\.)+)"/g

/** Returns a function that replaces keys, nonces and secrets in the texts of a report. */
export function redactor(target: Target): (text: string, exchanges?: readonly Exchange[]) => string {
  const known = [
    target.privateKey,
    target.publicKey,
    target.managementKey,
    target.maskedKey,
    target.redactedKey,
    target.limitedKey,
    target.otherPrivateKey,
    target.otherManagementKey,
    target.webhookSecret,
  ].filter(secret => secret !== undefined)
  return (text, exchanges = []) => {
    const learned = exchanges.flatMap(({ text: answer, requestHeaders }) => [
      ...[...answer.matchAll(secretMembers)].map(match => match[2] ?? ''),
      ...Object.entries(requestHeaders).flatMap(([name, value]) => (/-api-key$/i.test(name) ? [value] : [])),
    ])
    let shown = text
    for (const secret of [...known, ...learned])
      if (secret !== '') shown = shown.replaceAll(secret, '[redacted]')
    return shown
  }
}
