import type { Case } from './harness/case.ts'

/** True if a pattern is the id of a case or of its requirement. A `*` stands for any characters: `TOK-*`. */
export function matching(pattern: string, { id, requirement }: Case): boolean {
  if (!pattern.includes('*')) return pattern === id || pattern === requirement
  const parts = pattern.split('*').map(part => part.replaceAll(/[.\\^$+?()[\]{}|]/g, '\\$&'))
  const expression = new RegExp(`^${parts.join('.*')}$`)
  return expression.test(id) || expression.test(requirement)
}

/** Shuffles items by a seed (mulberry32 and Fisher-Yates), in the same way on every machine. */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const made = [...items]
  let state = seed >>> 0
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  for (let last = made.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    const [a, b] = [made[last] as T, made[other] as T]
    made[last] = b
    made[other] = a
  }
  return made
}
