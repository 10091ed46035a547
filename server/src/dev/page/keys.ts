/** A key that the page may use, and what people call it. */
export interface Key {
  readonly label: string
  readonly key: string
}

/** The keys that were typed in. The first one is the management key of the tenant. */
export interface Access {
  readonly keys: readonly Key[]
  /** The token of `--dev-token`; empty if there is none. */
  readonly token: string
}

/** Also read by the page at /docs. */
const place = 'surrogate-keys'

const kinds: Readonly<Record<string, string>> = { pub: 'public', prv: 'private', mgt: 'management' }

/** Returns a key with a name of its own: its kind and its last characters. */
export function named(key: string): Key {
  const [, kind = ''] = /^key_([a-z]+)_/.exec(key) ?? []
  return { label: `${kinds[kind] ?? 'key'} …${key.slice(-4)}`, key }
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
