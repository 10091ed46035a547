import { Worker } from 'node:worker_threads'
import { ServiceError } from '../../base/errors.ts'
import { describeError, type Log } from '../../base/log.ts'
import { clearInterval, setInterval } from '../../base/time/real-time.ts'
import { generatedFiles } from '../../generated-files.ts'
import { problemResponse, toServiceError } from '../pipeline/problem.ts'
import type { Address, Listening } from '../transport/listener.ts'
import type { CoreResponse } from '../transport/message.ts'
import { type Health, respondHealth } from './health.ts'
import { beatMs, type Question, type ThreadMessage, type ThreadOrder } from './operator-core.ts'

/** A port in a thread of its own. */
export type OperatorPort = Pick<Listening, 'url' | 'port' | 'close'>

interface Operated {
  readonly health: Health
  readonly metrics: { readonly contentType: string; text(): Promise<string> }
  readonly log: Log
}

/**
 * Opens a port that only operators reach, for `/metrics` and the health endpoints. `/metrics` is not on the port of the
 * operations: whoever has a key could see there how much others do, and behind a proxy every request seems to come
 * from this machine.
 *
 * Its thread answers `/livez` as long as it notices that the event loop of this one turns: a probe need not wait for
 * all requests that this thread has to begin before it.
 */
export async function openOperatorPort(operated: Operated, address: Address): Promise<OperatorPort> {
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const thread = new Worker(new URL('operator-port.js', generatedFiles), {
    workerData: { address, beats },
    // The master key may be in the environment.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 },
  })
  const beating = setInterval(() => Atomics.add(beats, 0, 1), beatMs).unref()
  const ended = new Promise<void>(resolve => thread.once('exit', () => resolve()))
  void ended.then(() => clearInterval(beating))
  const send = (order: ThreadOrder) => thread.postMessage(order)
  const { url, port } = await new Promise<{ readonly url: string; readonly port: number }>(
    (opened, refused) => {
      thread.on('message', (message: ThreadMessage) => {
        if ('opened' in message) opened(message.opened)
        else if ('refused' in message)
          refused(Object.assign(new Error(message.refused.message), message.refused))
        else void respond(operated, message).then(response => send({ traceId: message.traceId, response }))
      })
      thread.once('error', refused)
    },
  )
  // Probes fail from then on, while the port of the operations goes on.
  thread.on('error', error => operated.log.error('metrics failed', describeError(error)))
  if (address.unref) thread.unref()
  return {
    url,
    port,
    close: async () => {
      send('close')
      await ended
    },
  }
}

async function respond(
  { health, metrics, log }: Operated,
  { traceId, isRead, path }: Question,
): Promise<CoreResponse> {
  try {
    const found = isRead ? respondHealth(health, path) : undefined
    if (found) return found
    if (!isRead || path !== '/metrics')
      throw new ServiceError('not_found', 'this port has /metrics, /livez, /readyz and /healthz')
    const headers = { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }
    return { status: 200, headers, body: await metrics.text() }
  } catch (error) {
    const refusal = toServiceError(error)
    if (refusal !== error) log.error('metrics failed', describeError(error))
    return problemResponse(refusal, traceId)
  }
}
