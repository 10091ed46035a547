/** A container is segments between slashes, compared without case; `/` holds all others. */
export function normalizeContainer(path: string): string {
  return path.toLowerCase()
}

/** Whether `path` is `container` or lies below it. Whole segments count: `/pci/` does not hold `/pcifoo/`. */
export function isWithin(path: string, container: string): boolean {
  return normalizeContainer(path).startsWith(normalizeContainer(container))
}

export function isSameContainer(a: string, b: string): boolean {
  return normalizeContainer(a) === normalizeContainer(b)
}

/**
 * A container and all that hold it, from the root down, in one case.
 *
 * @example
 * containerAncestry('/pci/High/') // ['/', '/pci/', '/pci/high/']
 */
export function containerAncestry(path: string): string[] {
  const segments = normalizeContainer(path).split('/').slice(1, -1)
  return ['/', ...segments.map((_, depth) => `/${segments.slice(0, depth + 1).join('/')}/`)]
}
