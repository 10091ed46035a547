/** Reads what a caller of `http.request` gives: a URL, options, or both. */
// biome-ignore lint/suspicious/noExplicitAny: functions of formulas take anything
type Any = any

export interface RequestTarget {
  readonly protocol: 'http:' | 'https:'
  readonly method: string
  readonly host: string
  readonly path: string
  readonly url: string
}

/** Options that would be less than they say if nothing came of them, and why. */
const refused: Readonly<Record<string, string>> = {
  ca: 'the server trusts the authorities of its system',
  cert: 'formulas have no certificates of clients',
  checkServerIdentity: 'the server checks certificates itself',
  createConnection: 'formulas have no sockets',
  crl: 'the server checks certificates itself',
  key: 'formulas have no certificates of clients',
  localAddress: 'formulas have no sockets',
  lookup: 'the server looks up names itself',
  pfx: 'formulas have no certificates of clients',
  secureContext: 'formulas have no certificates of clients',
  socketPath: 'formulas have no sockets',
}

function refuseOptions(options: Any, whose: string): void {
  for (const [name, reason] of Object.entries(refused)) {
    const given = options?.[name]
    if (given !== undefined && given !== null) throw new Error(`${whose}${name} is not supported: ${reason}`)
  }
}

function refuseAgent(agent: Any): void {
  if (!agent) return
  refuseOptions(agent.options, 'agent.options.')
  // Agents that reach a proxy would be left out, and with them the proxy.
  if (agent.proxy !== undefined || typeof agent.addRequest === 'function') {
    throw new Error('an agent that makes connections is not supported: formulas have no sockets')
  }
}

const ofUrl = (url: URL): object => ({
  protocol: url.protocol,
  hostname: url.hostname,
  port: url.port,
  path: url.pathname + url.search,
  ...(url.username || url.password
    ? { auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` }
    : {}),
})

/** Returns the options and the callback of a call such as `request(url, options, callback)`. */
export function optionsOf(given: unknown[]): readonly [options: Any, callback: unknown] {
  const [first, ...rest] = given
  const isUrl = typeof first === 'string' || first instanceof URL
  const url = isUrl ? ofUrl(typeof first === 'string' ? new URL(first) : first) : {}
  const more = isUrl ? (typeof rest[0] === 'function' ? undefined : rest.shift()) : first
  const options = { ...url, ...(more as object) }
  refuseOptions(options, '')
  refuseAgent((options as Any).agent)
  return [options, rest[0]]
}

const hostName = /^[\w.-]+$|^\[[\da-f:.]+\]$/i

/** Returns where a request goes. Nothing in a host or a path leads elsewhere than they say. */
export function targetOf(options: Any, protocol: 'http:' | 'https:'): RequestTarget {
  const expected = options.agent?.protocol ?? protocol
  const chosen = options.protocol ?? expected
  if (chosen !== expected || !/^https?:$/.test(chosen)) {
    throw Object.assign(new TypeError(`Protocol "${chosen}" not supported. Expected "${expected}"`), {
      code: 'ERR_INVALID_PROTOCOL',
    })
  }
  const name = `${options.hostname ?? options.host ?? 'localhost'}`
  const bare = options.hostname === undefined ? name.replace(/:\d+$/, '') : name
  const host = bare.includes(':') && bare[0] !== '[' ? `[${bare}]` : bare
  const port = options.port || options.defaultPort || ''
  const given = `${options.path ?? '/'}`
  const path = given === '' || given[0] === '?' ? `/${given}` : given
  if (!hostName.test(host) || !/^\d{0,5}$/.test(`${port}`))
    throw new TypeError('the host or the port is not valid')
  if (path[0] !== '/')
    throw new TypeError('a path begins with /; requests by way of a proxy are not supported')
  const url = `${chosen}//${host}${`${port}` === '' ? '' : `:${port}`}${path}`
  return { protocol: chosen, method: `${options.method ?? 'GET'}`.toUpperCase(), host, path, url }
}
