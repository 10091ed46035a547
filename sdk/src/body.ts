import { mustBe } from './check.ts'

/**
 * Returns a body as JSON, which has no NaN and no Infinity: refuses them, as they would be sent as null, which means
 * nothing or a default.
 */
export function jsonOf(body: unknown): string | undefined {
  const text = JSON.stringify(body) as string | undefined
  // Most bodies have none, and need no second look.
  if (!text?.includes('null')) return text
  const paths = new Map<unknown, string>()
  return JSON.stringify(body, function (this: unknown, name, value) {
    const path = [paths.get(this), name].filter(Boolean).join('.')
    mustBe(path, typeof value !== 'number' || Number.isFinite(value), 'a finite number')
    paths.set(value, path)
    return value
  })
}
