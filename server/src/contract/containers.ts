import { limits } from '../generated/facts.ts'

/** Containers are compared without case. */
export function normalizeContainer(path: string): string {
  return path.toLowerCase()
}

/** True if `path` is `container` or lies below it. Compares whole segments: `/pcifoo/` is not within `/pci/`. */
export function isWithin(path: string, container: string): boolean {
  return normalizeContainer(path).startsWith(normalizeContainer(container))
}

export function isSameContainer(a: string, b: string): boolean {
  return normalizeContainer(a) === normalizeContainer(b)
}

export function levelsOf(path: string): number {
  return path.split('/').length - 2
}

/** One container, or with `below` also all containers below it. The path is in lower case. */
export interface Area {
  readonly path: string
  readonly below: boolean
}

export function toArea(path: string, below: boolean): Area {
  return { path: normalizeContainer(path), below }
}

export function isEverywhere({ path, below }: Area): boolean {
  return below && path === '/'
}

/** Returns the area of the containers that lie in both areas; `undefined` if there are none. */
export function intersectAreas(a: Area, b: Area): Area | undefined {
  const [inner, outer] = a.path.length > b.path.length ? [a, b] : [b, a]
  if (inner.path === outer.path) return { path: inner.path, below: inner.below && outer.below }
  return outer.below && inner.path.startsWith(outer.path) ? inner : undefined
}

/**
 * Returns all areas that a container lies in, except the one of all containers. Levels beyond the bound are left out, as
 * no rule and no search can name them: records from before there was a bound may have more.
 *
 * @example
 * areasAround('/pci/High/') // /pci/high/ alone, /pci/ and all below it, /pci/high/ and all below it
 */
export function areasAround(container: string): Area[] {
  const path = normalizeContainer(container)
  const areas: Area[] = [{ path, below: false }]
  let slash = path.indexOf('/', 1)
  while (slash !== -1 && areas.length <= limits.containerLevels) {
    areas.push({ path: path.slice(0, slash + 1), below: true })
    slash = path.indexOf('/', slash + 1)
  }
  return areas
}
