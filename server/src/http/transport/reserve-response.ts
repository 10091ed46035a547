import { ServiceError } from '../../base/errors.ts'
import { connectionLimits } from '../../base/limits.ts'
import { problemResponse } from '../pipeline/problem.ts'
import { type CoreRequest, type CoreResponse, lengthOf } from './message.ts'

/**
 * Takes memory for a response until its receiver has taken it. Without memory, the response to a read becomes a refusal.
 * Any other connection is closed without a response, because what the request has changed must not look undone.
 */
export function reserve(
  request: CoreRequest,
  response: CoreResponse,
  { isRead, traceId }: { readonly isRead: boolean; readonly traceId: string },
): CoreResponse {
  const { pieces, isShared } = response
  if (isShared) return response
  try {
    request.reserve?.(pieces ? connectionLimits.pieceBytes : lengthOf(response))
    return response
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    void pieces?.[Symbol.asyncIterator]().return?.()
    return isRead ? problemResponse(error, traceId) : { ...response, cutAfter: 'nothing' }
  }
}
