import {
  devRequestsClear,
  devRequestsList,
  devRequestsMatch,
  devRequestsNext,
} from './generated/operations.gen.ts'
import type { DevRecordedRequest, DevRequestPattern } from './generated/types.gen.ts'
import type { OperationName } from './operation-name.ts'
import { nameWith, RecordedRequests, type SilenceOptions } from './recorded.ts'
import type { DevSend } from './send.ts'

/**
 * Selects recorded requests.
 *
 * @example
 * ```ts
 * const refused: RequestFilter = { operation: 'tokens.create', status: 400 }
 * ```
 */
export interface RequestFilter {
  readonly operation?: OperationName
  readonly status?: number
  /** Only requests after the one with this `number`. */
  readonly since?: number
}

/**
 * What a request must have, and how many such requests there must be: at least one without `times`.
 *
 * @example
 * ```ts
 * const once: ExpectedRequest = { operation: 'tokens.create', body: { type: 'card' }, times: 1 }
 * ```
 */
export type ExpectedRequest = RequestPattern & { readonly times?: number } & SilenceOptions

/**
 * What a request must have to match.
 *
 * @example
 * ```ts
 * const pattern: RequestPattern = { operation: 'tokens.create', body: { type: 'card' } }
 * ```
 */
export type RequestPattern = Omit<DevRequestPattern, 'operation'> & {
  readonly operation?: OperationName | undefined
}

/**
 * The requests that the server received from one tenant.
 *
 * @example
 * ```ts
 * const requests: DevRequests = dev.requests
 * const { status } = await requests.next({ operation: 'tokens.create' })
 * ```
 */
export class DevRequests extends RecordedRequests<DevRecordedRequest, RequestPattern, RequestFilter> {
  /** @internal */
  constructor(send: DevSend) {
    super({
      list: async filter => (await send(devRequestsList, { query: filter })).data,
      next: async filter => (await send(devRequestsNext, { query: filter })) ?? undefined,
      match: pattern => send(devRequestsMatch, { body: pattern }),
      clear: () => send(devRequestsClear),
      nameOf: ({ operation = 'any operation', status, body, path }) =>
        nameWith(operation, { 'this path': path, [`status ${status}`]: status, 'this body': body }),
      lineOf: ({ operation, path }) => `${operation} (${path})`,
      verb: 'come',
      hint: 'does the application use a key of this tenant?',
    })
  }
}
