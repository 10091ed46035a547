import { deniedCause } from '../../access/caller.ts'
import type { AuditRecorder } from '../../audit/recorder.ts'
import { NotOfOurs, type ServiceError } from '../../base/errors.ts'
import { describeError, type Log } from '../../base/log.ts'
import type { CoreResponse } from '../transport/message.ts'
import type { Exchange } from './exchange.ts'
import { problemResponse, toServiceError } from './problem.ts'

/** Turns errors of requests into responses, and records what an operator has to know of them. */
export class Refusals {
  readonly #audit: Pick<AuditRecorder, 'record'>
  readonly #log: Log

  constructor({ audit, log }: { readonly audit: Pick<AuditRecorder, 'record'>; readonly log: Log }) {
    this.#audit = audit
    this.#log = log
  }

  refuse(exchange: Exchange, error: unknown): CoreResponse {
    const refusal = toServiceError(error)
    exchange.refusal = refusal
    const { traceId, operation } = exchange
    if (refusal.code === 'permission_denied' && !(refusal.cause instanceof NotOfOurs))
      this.#record(exchange, refusal)
    if (refusal.status >= 500 && refusal !== error) {
      this.#log.error('request failed', { trace: traceId, operation: operation?.id, ...describeError(error) })
    }
    return problemResponse(refusal, traceId)
  }

  /** Returns a function that reports why the rest of a response cannot be sent. */
  cutOff({ operation, traceId }: Exchange): (error: unknown) => void {
    return error => {
      // Not `error`: an outage of the store must not take the place of this line, as this caller has half an answer.
      const { error: reason, ...rest } = describeError(error)
      this.#log.error('answer cut off', { trace: traceId, operation: operation?.id, reason, ...rest })
    }
  }

  /** Adds a refused operation to the audit log. */
  #record({ caller, operation, rawParameters }: Exchange, refusal: ServiceError): void {
    if (!caller || operation?.entityType === undefined) return
    // The id of what a request is about is recorded only if the access rules have found it.
    const entity = rawParameters?.id === undefined ? undefined : deniedCause(refusal)?.subject
    this.#audit.record(caller.tenant, {
      // An operation that needs no permission is named in the form of one: `session:authorize`.
      operation:
        operation.permission ??
        `${operation.entityType}:${operation.id.slice(operation.id.lastIndexOf('.') + 1)}`,
      entity_type: operation.entityType,
      ...(entity === undefined ? {} : { entity_id: entity }),
      actor: caller.application,
      session: caller.session,
      outcome: 'refused',
    })
  }
}
