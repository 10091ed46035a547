/** What browsers say when they may not say more. */
const silent = /Failed to fetch|NetworkError|Load failed/

/** The usual reasons why a server is not reached, by what the runtime says about them, in the order they are tried. */
const hints: readonly (readonly [pattern: RegExp, hint: (url: string) => string])[] = [
  [/refused/i, () => 'nothing listens there; is the server running, and is the port right?'],
  [
    /ENOTFOUND|EAI_AGAIN|getaddrinfo|dns error/,
    url =>
      /^http:..vault\//.test(url) ? 'pass fetch: vault.fetch' : 'there is no such host; is it spelled right?',
  ],
  [
    /WRONG_VERSION|PACKET_LENGTH|ERR_SSL|InvalidContentType/,
    () => 'the server does not speak https; try http:',
  ],
  [/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/i, () => 'the certificate is not trusted; see NODE_EXTRA_CA_CERTS'],
  [
    /ECONNRESET|EPIPE|UND_ERR_SOCKET|hang up|other side closed/,
    url => `the connection was closed${/^http:/.test(url) ? '; does the server speak https?' : ''}`,
  ],
]

/**
 * Returns code and likely reason of a lost connection, as the end of a message; an empty text if neither is known.
 * @param url empty if the server has responded before
 */
export function explainLost(error: unknown, url: string): string {
  const {
    code: own,
    message,
    cause,
  } = Object(error) as { code?: unknown; message?: unknown; cause?: unknown }
  const inner = Object(cause) as { code?: unknown; message?: unknown }
  // Only pages and their workers have one.
  const { origin } = (globalThis as { location?: { origin?: string } }).location ?? {}
  const code = [inner.code, own].find(one => /^\w+$/.test(`${one ?? '-'}`))
  const described = `${own} ${message} ${inner.code} ${inner.message}`
  const hint =
    silent.test(described) && url && origin && !url.startsWith(origin)
      ? `the server does not run, or does not allow the origin ${origin} (CORS, --cors-origin)`
      : hints.find(([pattern]) => pattern.test(described))?.[1](url)
  return `${code ? ` (${code})` : ''}${hint ? `: ${hint}` : ''}`
}
