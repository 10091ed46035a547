/** The kind of application, or session, that a key belongs to. */
export type Kind = 'public' | 'private' | 'management' | 'session'

/** A key that the page may use. */
export interface Key {
  readonly key: string
  /** Absent if its text does not tell. */
  readonly kind?: Kind | undefined
  /** The name of its application. */
  readonly name?: string | undefined
}

/** The keys of a tenant. The first one is a management key. */
export interface Access {
  readonly keys: readonly Key[]
  /** The token of `--dev-token`; empty if there is none. */
  readonly token: string
}

/** Also read by the page at /docs. */
const place = 'surrogate-keys'

const kinds: Readonly<Record<string, Kind>> = { pub: 'public', prv: 'private', mgt: 'management' }

/** Returns a key with the kind that its text tells. */
export function keyOf(key: string): Key {
  const [, kind = ''] = /^key_([a-z]+)_/.exec(key) ?? []
  return { key, kind: kinds[kind] }
}

/** Returns what people call a key: its application, its kind and its last characters. */
export function labelOf({ key, kind, name }: Key): string {
  const isTold = name === undefined || name.toLowerCase() === kind
  return `${isTold ? (name ?? kind ?? 'key') : `${name} (${kind})`} …${key.slice(-4)}`
}

/** Returns the keys of both lists, each once, with the most that is known of it. */
export function joined(own: readonly Key[], others: readonly Key[]): Key[] {
  const all = new Map<string, Key>()
  for (const one of [...own, ...others]) all.set(one.key, { ...all.get(one.key), ...one })
  return [...all.values()]
}

/**
 * Reads the key that the server has printed in the address of this page, and removes it from there: fragments are not
 * sent, but kept in histories.
 */
export function takeFromAddress(): Access | undefined {
  const [, key = ''] = /^#key=([^&]+)$/.exec(location.hash) ?? []
  if (key === '') return undefined
  history.replaceState(null, '', location.pathname)
  return { keys: [keyOf(decodeURIComponent(key))], token: '' }
}

/** Reads the keys of this tab. They are kept in its `sessionStorage`, which ends with the tab. */
export function readAccess(): Access | undefined {
  try {
    const kept: Access = JSON.parse(sessionStorage.getItem(place) ?? '')
    return kept.keys.length > 0 ? kept : undefined
  } catch {
    return undefined
  }
}

export function keepAccess(access: Access | undefined): void {
  if (access) sessionStorage.setItem(place, JSON.stringify(access))
  else sessionStorage.removeItem(place)
}
