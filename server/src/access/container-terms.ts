import type { Digest } from '../storage/port.ts'
import type { TenantStore } from '../storage/records/sealed.ts'
import { type Area, areasAround, normalizeContainer } from './containers.ts'

/**
 * Returns the terms that a token has because of its containers.
 *
 * A caller sees a token only if its rules cover each of its containers. With one container, its terms are enough to decide
 * that. With several, they are not, as they do not tell which of them belong to the same container. So the containers of
 * such a token are numbered from 0, and each has its terms a second time with its number. The query for what a caller
 * sees is then made from its rules alone, whatever combinations of containers exist.
 */
export function containerTerms(store: TenantStore, containers: readonly string[]): Digest[] {
  const distinct = [...new Set(containers.map(normalizeContainer))]
  const around = distinct.map(areasAround)
  const terms = around.flat().map(area => areaTerm(store, area))
  if (distinct.length < 2) return terms
  for (const area of commonTo(around)) terms.push(whollyInTerm(store, area))
  for (const [number, areas] of around.entries()) {
    if (number > 0) terms.push(moreThanTerm(store, number))
    for (const area of areas) terms.push(numberedAreaTerm(store, number, area))
  }
  return terms
}

function commonTo([first = [], ...others]: readonly Area[][]): Area[] {
  return first.filter(
    ({ path, below }) => below && others.every(other => other.some(one => one.path === path && one.below)),
  )
}

/** The term of tokens with a container in this area. */
// Requirements: SEA-010, SEA-011
export function areaTerm(store: TenantStore, { path, below }: Area): Digest {
  return store.term(below ? 'under' : 'container', path)
}

/** The term of tokens with several containers, of which the one with this number is in this area. */
export function numberedAreaTerm(store: TenantStore, number: number, { path, below }: Area): Digest {
  return store.term(below ? 'under-numbered' : 'container-numbered', `${number} ${path}`)
}

/** The term of tokens with several containers, all of them in this area: a caller with a single rule sees these. */
export function whollyInTerm(store: TenantStore, { path, below }: Area): Digest {
  return store.term('containers', `${below ? 'under' : 'only'} ${path}`)
}

/** The term of tokens with more containers than this. */
export function moreThanTerm(store: TenantStore, count: number): Digest {
  return store.term('containers', count === 1 ? 'several' : `more than ${count}`)
}
