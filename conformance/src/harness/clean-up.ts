import type { Recorder } from './recorder.ts'
import { requestTo, type Subject } from './target.ts'

/**
 * Deletes what a case created, the last first. Returns the paths of resources that still exist, with what the server
 * said. Stops at the first request without a response, since a server that hangs would hang for each.
 */
export async function cleanUp(target: Subject, made: Recorder['made']): Promise<string[]> {
  const left: string[] = []
  let silent = false
  const remove = async ({ path, key }: Recorder['made'][number]) => {
    const foreign = key !== undefined && [target.otherPrivateKey, target.otherManagementKey].includes(key)
    const able = path.startsWith('/tokens/') ? target.privateKey : target.managementKey
    const send = async (method: string) =>
      (await target.send(requestTo(target, (foreign ? key : able) ?? '', method, path))).status
    try {
      if (silent) throw new Error('the server does not respond')
      const status = await send('DELETE')
      if (status < 300) return
      // "Not found" counts only if reading it fails, too.
      const isGone = (status === 404 || status === 410) && (await send('GET')) >= 400
      if (!isGone) left.push(`${path} (DELETE: ${status})`)
    } catch {
      silent = true
      left.push(`${path} (no response)`)
    }
  }
  const isToken = (one: { readonly path: string }) => one.path.startsWith('/tokens/')
  // Reactors before their formulas and applications, which cannot be deleted while they are used.
  for (const one of made.filter(one => !isToken(one)).reverse()) await remove(one)
  await Promise.all(made.filter(isToken).map(remove))
  return left
}
