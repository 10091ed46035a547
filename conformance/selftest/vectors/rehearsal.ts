import { setImmediate } from 'node:timers/promises'
import type { Case } from '../../src/harness/case.ts'
import { cleanUp } from '../../src/harness/clean-up.ts'
import { Contract } from '../../src/harness/contract.ts'
import { NotSupported } from '../../src/harness/finding.ts'
import { Fixtures } from '../../src/harness/fixtures.ts'
import { Recorder } from '../../src/harness/recorder.ts'
import type { Subject, Target } from '../../src/harness/target.ts'
import type { HttpRequest, HttpResponse, Transport } from '../../src/harness/transport.ts'
import { capabilities } from '../_reference.ts'

export interface Exchanged {
  readonly request: HttpRequest
  readonly response: HttpResponse
}

/** The contract without its checks of each response: only what a case itself expects counts here. */
class Silent extends Contract {
  override complaints() {
    return []
  }
}
const contract = new Silent()

/** Capabilities without those that need more than requests and responses. */
const has = new Set([...capabilities].filter(name => !['callbacks', 'webhook-signature'].includes(name)))

const real = crypto.randomUUID.bind(crypto)

/** Runs a case alone, with random values made of `run`. Returns what it found wrong, if anything. */
async function perform(one: Case, target: Target, send: Transport, run: string, left?: Subject) {
  const subject: Subject = { ...target, ...(left ? {} : { patienceMs: 0 }), searchLagMs: 0, send }
  const [recorder, common] = [
    new Recorder(subject, contract, undefined),
    new Recorder(subject, contract, undefined),
  ]
  const noInbox = () => Promise.reject(new NotSupported('callbacks'))
  let count = 0
  crypto.randomUUID = () => uuidOf(run, ++count)
  try {
    const fixtures = new Fixtures({ target: subject, has: name => has.has(name), inbox: noInbox }, common)
    await one.run(fixtures.contextFor(recorder))
    return undefined
  } catch (error) {
    return error
  } finally {
    crypto.randomUUID = real
    if (left) await cleanUp(left, [...common.made, ...recorder.made])
  }
}

/**
 * Returns a UUID whose middle, `run`, is the same for all of a run, and whose ends count. So texts that a case cuts at an
 * end still contain the part that differs between runs.
 */
function uuidOf(run: string, count: number) {
  const start = String(count).padStart(8, '0')
  return `${start}-${dashed(run)}-${start}c0de` as ReturnType<typeof crypto.randomUUID>
}

export const dashed = (run: string) => `${run.slice(0, 4)}-${run.slice(4, 8)}-${run.slice(8)}`

/** Runs a case against a server. Resolves with its exchanges, without those that clean up. */
export async function record(one: Case, target: Subject, run: string): Promise<readonly Exchanged[]> {
  const exchanges: Exchanged[] = []
  const sendAlone: Transport = async request => {
    // A case repeats a create if two tokens have the same time, in milliseconds.
    const begun = Date.now()
    while (request.url.endsWith('/tokens') && Date.now() === begun) await setImmediate()
    const response = await target.send(request)
    exchanges.push({ request, response })
    return response
  }
  // One after the other, so that each recording has the same order.
  let last: Promise<unknown> = Promise.resolve()
  const send: Transport = request => {
    const sent = last.then(() => sendAlone(request))
    last = sent.catch(() => {})
    return sent
  }
  const error = await perform(one, target, send, run, target)
  if (error) throw error
  return exchanges
}

/** True if a case finds nothing wrong in these responses, which it gets in this order. */
export async function accepts(
  one: Case,
  target: Target,
  responses: readonly HttpResponse[],
  run: string,
): Promise<boolean> {
  let next = 0
  const send: Transport = async () => {
    const response = responses[next++]
    if (!response) throw new Error('the case sends other requests')
    return response
  }
  return (await perform(one, target, send, run)) === undefined
}
