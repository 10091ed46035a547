import type { Recorder } from './recorder.ts'
import type { Target } from './target.ts'
import { within } from './within.ts'

/** Deletes what a case created, the last first. Returns the number of resources that could not be deleted. */
export async function cleanUp(target: Target, made: Recorder['made']): Promise<number> {
  let left = 0
  const remove = async ({ path, key }: Recorder['made'][number]) => {
    const foreign = key !== undefined && [target.otherPrivateKey, target.otherManagementKey].includes(key)
    const able = path.startsWith('/tokens/') ? target.privateKey : target.managementKey
    try {
      const response = await within(
        target.timeoutMs,
        target.fetch(
          new Request(`${target.baseUrl.replace(/\/$/, '')}${path}`, {
            method: 'DELETE',
            headers: { [`${target.headerPrefix}-API-KEY`]: (foreign ? key : able) ?? '' },
          }),
        ),
      )
      await within(target.timeoutMs, response.arrayBuffer())
      if (response.status >= 300 && response.status !== 404) left++
    } catch {
      left++
    }
  }
  const isToken = (one: { readonly path: string }) => one.path.startsWith('/tokens/')
  // Reactors before their formulas and applications, which cannot be deleted while they are used.
  for (const one of made.filter(one => !isToken(one)).reverse()) await remove(one)
  await Promise.all(made.filter(isToken).map(remove))
  return left
}
