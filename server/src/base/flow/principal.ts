import { ServiceError } from '../errors.ts'

/** Whom work is done for. Those of one tenant wait for each other, not for other tenants. */
export interface Principal {
  readonly tenant: string
  readonly application?: string | undefined
  readonly session?: string | undefined
  /** The request that the work is part of; absent for work that nobody waits for. */
  readonly request?: { readonly isGone?: boolean } | undefined
}

/** Throws if the caller has closed its connection, so that work for nobody ends. @throws {ServiceError} */
export function refuseIfGone({ request }: Principal): void {
  if (request?.isGone) throw callerDisconnected()
}

/** Nobody reads this response, but the error keeps the log from recording a fault of the server. */
export const callerDisconnected = () =>
  new ServiceError('malformed_json', 'the caller hung up before the request was done')
