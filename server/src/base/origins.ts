/** A longer host is not a name, and would take long to look up. */
const longestOrigin = 300

/** The one wildcard: in place of the first labels of a host. */
const anySubdomain = '://*.'

/**
 * True for an origin, such as `https://app.example.com` or `capacitor://localhost`, as programs send it: without a path, in
 * lower case and without a port that is the default.
 */
export function isOrigin(text: string): boolean {
  if (!URL.canParse(text) || text.includes('*')) return false
  const { protocol, host } = new URL(text)
  return host !== '' && text === `${protocol}//${host}`
}

/** True for an origin, or for all subdomains of one: `https://*.example.com`. */
export const isOriginPattern = (text: string): boolean => isOrigin(text.replace(anySubdomain, '://a.'))

/** A list of origins and patterns of them. An origin costs one look-up, and one more for each label of its host. */
export class OriginSet {
  readonly #known: ReadonlySet<string>
  readonly #hasPatterns: boolean

  constructor(origins: Iterable<string>) {
    this.#known = new Set(origins)
    this.#hasPatterns = [...this.#known].some(one => one.includes(anySubdomain))
  }

  get size(): number {
    return this.#known.size
  }

  /** Returns what is in the list for an origin: itself, or the pattern with the longest host; `undefined` if nothing is. */
  find(origin: string): string | undefined {
    if (this.#known.has(origin)) return origin
    if (!this.#hasPatterns || origin.length > longestOrigin) return undefined
    const begin = origin.indexOf('://')
    for (let dot = origin.indexOf('.', begin); dot >= 0; dot = origin.indexOf('.', dot + 1)) {
      const pattern = `${origin.slice(0, begin)}${anySubdomain}${origin.slice(dot + 1)}`
      if (this.#known.has(pattern)) return pattern
    }
    return undefined
  }
}
