import { invalid } from '../../base/errors.ts'

/** What stands before the path of a URL. */
const beginning = /^https?:\/\/[^/?#*\\]+(?=[/?#]|$)/i

/** An origin with all of its URLs, or URLs in which `*` stands for any text. Matches in linear time. */
export class UrlPattern {
  readonly origin: string
  /** The texts between the stars; `undefined` for all URLs of the origin. */
  readonly #texts: readonly string[] | undefined
  readonly #hasQuery: boolean

  /** @throws {ServiceError} validation */
  constructor(pattern: string) {
    const [origin = ''] = beginning.exec(pattern) ?? []
    if (!URL.canParse(origin) || new URL(origin).username !== '' || pattern.includes('#'))
      throw invalid(
        'url',
        'must begin with an origin, such as https://api.example.com, without a password; * is for what follows',
      )
    const { href } = new URL(pattern)
    this.origin = new URL(origin).origin
    const rest = href.slice(this.origin.length)
    this.#texts = rest === '/' ? undefined : rest.split('*')
    this.#hasQuery = rest.includes('?')
  }

  matches({ origin, pathname, search }: URL): boolean {
    if (origin !== this.origin) return false
    const texts = this.#texts
    return texts === undefined || matchesTexts(this.#hasQuery ? pathname + search : pathname, texts)
  }
}

/** True if a text has the given ones in their order, the first at its beginning and the last at its end. */
function matchesTexts(text: string, [first = '', ...rest]: readonly string[]): boolean {
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

/** A segment that names something of an API, such as `v1` or `payment_intents`, and no value in its place. */
const plainSegment = /^(?=.{0,40}$)(?:|\*|v\d{1,2}|[a-z]+(?:[-_][a-z]+)*\*?)$/

/** A label of a host with a long number in it, which may be one of a card. */
const numbered = /[^./:]*\d{6}[^./:]*/g

/** Returns an origin as developers are told of it. */
export function shownOrigin(origin: string): string {
  return origin.replace(numbered, label => `string(${label.length})`)
}

/** Returns a URL, or a pattern for one, without its query and with what may be data replaced by its shape. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  const shown = (segment: string) => (plainSegment.test(segment) ? segment : `string(${segment.length})`)
  return shownOrigin(origin) + pathname.split('/').map(shown).join('/')
}
