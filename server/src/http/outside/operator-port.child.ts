/** The thread of the port for operators: see `operator-port.ts`. */
import { parentPort, workerData } from 'node:worker_threads'
import { createAdmissions } from '../../base/flow/admissions.ts'
import { systemRandom } from '../../base/random.ts'
import { setInterval } from '../../base/time/real-time.ts'
import { listen } from '../transport/listener.ts'
import type { CoreResponse } from '../transport/message.ts'
import {
  beatMs,
  createOperatorCore,
  Pulse,
  type Question,
  type ThreadMessage,
  type ThreadOrder,
} from './operator-core.ts'

/** Bytes of unread responses: `/metrics` has some 50 KB. */
const responseBytes = { total: 16 * 1024 * 1024 }

const waiting = new Map<string, (response: CoreResponse) => void>()
const post = (message: ThreadMessage) => parentPort?.postMessage(message)
const ask = (question: Question) =>
  new Promise<CoreResponse>(resolve => {
    waiting.set(question.traceId, resolve)
    post(question)
  })

const pulse = new Pulse(workerData.beats)
setInterval(() => pulse.check(), beatMs).unref()
const core = createOperatorCore({ pulse, random: systemRandom(), ask })
try {
  const { url, port, close } = await listen(core, workerData.address, {
    admissions: createAdmissions({ responseBytes }),
  })
  parentPort?.on('message', (order: ThreadOrder) => {
    if (order === 'close') return void close().then(() => parentPort?.close())
    waiting.get(order.traceId)?.(order.response)
    waiting.delete(order.traceId)
  })
  post({ opened: { url, port } })
} catch (error) {
  const { message } = error as Error
  post({ refused: { ...(error as Error), message } })
}
