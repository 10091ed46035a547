import { Exchange, type Services, type Step } from '../http/pipeline/exchange.ts'
import { authorize, identify } from '../http/pipeline/lifecycle.ts'
import type { CoreRequest, CoreResponse } from '../http/transport/message.ts'

/**
 * Returns a long response piece by piece. It ends when its next piece would go to a caller who may not make the request
 * any more. What the pieces hold is released at their end, also if one cannot be made.
 * @param route finds the operation of a request
 * @param show returns the text of a piece
 */
export function whileAllowed<T>(
  route: Step,
  services: Services,
  request: CoreRequest,
  pieces: AsyncIterableIterator<T, undefined>,
  show: (piece: T) => string | Promise<string>,
): AsyncIterableIterator<string, undefined> {
  const end = async () => {
    await pieces.return?.()
    return { done: true, value: undefined } as const
  }
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: async () => {
      try {
        const { done, value } = await pieces.next()
        if (done || !(await isAllowed(route, services, request))) return await end()
        return { done: false, value: await show(value) }
      } catch (error) {
        await end()
        throw error
      }
    },
    return: end,
  }
}

/** True if the caller of a request may still make it. */
async function isAllowed(route: Step, services: Services, request: CoreRequest): Promise<boolean> {
  const again = new Exchange(request, '')
  try {
    for (const step of [route, identify, authorize]) await step(again, services)
    return true
  } catch {
    return false
  }
}

/** Headers of a response that goes on: proxies must not collect its pieces. */
export const streamHeaders = (type: string): Record<string, string> => ({
  'Content-Type': type,
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
})

/** True for the headers of a response that goes on. */
export const isStream = (headers: CoreResponse['headers']): boolean => 'X-Accel-Buffering' in headers
