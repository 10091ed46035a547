/** JSON with exactly this spelling, valid or not: a number beyond a double, a lone surrogate, a repeated name. */
export class Spelled {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A JSON value, or one with parts that only a text can express. */
export type Loose = string | number | boolean | null | Spelled | readonly Loose[] | LooseObject
export interface LooseObject {
  readonly [member: string]: Loose
}

export function isLooseObject(value: Loose | undefined): value is LooseObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Spelled)
}

export function isLooseList(value: Loose | undefined): value is readonly Loose[] {
  return Array.isArray(value)
}

/** Writes a value as JSON. The text of `Spelled` is copied as it is and may be nested to any depth. */
export function writeJson(value: Loose): string {
  if (value instanceof Spelled) return value.text
  if (isLooseList(value)) return `[${value.map(writeJson).join(',')}]`
  if (isLooseObject(value)) {
    return `{${Object.entries(value)
      .map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`)
      .join(',')}}`
  }
  return JSON.stringify(value)
}

/** Returns a copy of `root` with the value at `path` replaced; `undefined` removes it. */
export function replaceAt(
  root: Loose,
  path: readonly (string | number)[],
  change: (old: Loose) => Loose | undefined,
): Loose | undefined {
  const [step, ...rest] = path
  if (step === undefined) return change(root)
  if (isLooseList(root)) {
    return root.flatMap((item, index) => {
      if (index !== step) return [item]
      const changed = replaceAt(item, rest, change)
      return changed === undefined ? [] : [changed]
    })
  }
  if (!isLooseObject(root)) return root
  const entries = Object.entries(root).flatMap(([name, member]): [string, Loose][] => {
    if (name !== step) return [[name, member]]
    const changed = replaceAt(member, rest, change)
    return changed === undefined ? [] : [[name, changed]]
  })
  return Object.fromEntries(entries)
}
