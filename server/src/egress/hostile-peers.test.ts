import t from 'tap'
import {
  type HostilePeer,
  hostilePeers,
  limitFor,
  openPeer,
  patientMs,
} from '../../verify/support/hostile-peers.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { Admission } from '../base/flow/admission.ts'
import { nextTurn } from '../base/flow/event-loop.ts'
import { createCallbackSender } from './callback-sender.ts'
import { EgressError } from './egress-error.ts'
import { createFormulaEgress } from './formula-egress.ts'
import { createProxyEgress } from './proxy-egress.ts'

const responseBytes = 100_000
const body = Buffer.alloc(900_000, 'a')
const request = { method: 'POST', headers: { 'content-type': 'text/plain' }, body }
const by = { tenant: 't' }
const { signal } = new AbortController()

/** Sends a request and returns what came of it. */
type Send = (url: string) => Promise<string>
interface Opening {
  readonly origins: readonly string[]
  readonly admission: Admission
  readonly timeoutMs: number
}

/** Users of egress, and what each of them makes of a peer. */
const users: Readonly<Record<string, { open(opening: Opening): Send; wanted(peer: HostilePeer): string }>> = {
  callbacks: {
    open: ({ timeoutMs }) => {
      const send = createCallbackSender({ allowPrivate: true, timeoutMs })
      return async url => `${await send({ ...request, ...by, url, reactor: 'r', traceId: 'x', signal })}`
    },
    wanted: ({ head }) => `${head}`,
  },
  formulas: {
    open: ({ origins, admission, timeoutMs }) => {
      const fetch = createFormulaEgress({ origins, admission, limits: { timeoutMs, responseBytes } })
      return async url => {
        const { status } = await fetch({ ...request, by, url, signal })
        return `${status} whole`
      }
    },
    // A formula does not see whether a target was silent.
    wanted: ({ head, body, decoded = body }) => {
      const failure = typeof head === 'number' ? decoded : head
      return failure === 'whole' ? `${head} whole` : failure === 'size' ? 'size' : 'network'
    },
  },
  proxy: {
    open: ({ origins, admission, timeoutMs }) => {
      const egress = createProxyEgress({ origins, admission, headerPrefix: 'svc' })
      return async url => {
        const exchange = egress.begin({ by, timeoutMs })
        const { status, body } = await exchange.send({ ...request, url: new URL(url) })
        try {
          for await (const piece of body(responseBytes)) t.ok(piece.length > 0)
          return `${status} whole`
        } catch (error) {
          return `${status} ${reasonOf(error)}`
        }
      }
    },
    wanted: ({ head, body }) => (typeof head === 'number' ? `${head} ${body}` : head),
  },
}

const reasonOf = (error: unknown) => (error instanceof EgressError ? error.reason : `${error}`)
/** Counts the timers and sockets of this process. */
const resources = () =>
  process.getActiveResourcesInfo().filter(name => /^(Timeout|TCPSocketWrap|TLSWrap)$/.test(name)).length

for (const [name, { open, wanted }] of Object.entries(users)) {
  t.test(
    `${name}: whatever a target does, an exchange settles in time and leaves nothing behind`,
    async t => {
      const honest = await openReceiver(t)
      const peers = await Promise.all(hostilePeers.map(peer => openPeer(t, peer)))
      const origins = [honest.origin, ...peers.map(({ origin }) => origin)]
      // Admits one exchange, so that one that does not end shows at once.
      const admission = new Admission('exchanges', { total: 1 })
      const patient = open({ origins, admission, timeoutMs: patientMs })
      const before = resources()
      for (const peer of peers) {
        const timeoutMs = limitFor(peer)
        const sent = open({ origins, admission, timeoutMs })(peer.origin).catch(reasonOf)
        t.equal(await Promise.race([sent, late(timeoutMs)]), wanted(peer), peer.name)
        t.equal(admission.total, 0, `${peer.name}: its share is free`)
        t.equal(await Promise.race([peer.left(), late(timeoutMs)]), undefined, `${peer.name}: it is closed`)
        t.match(await patient(honest.origin).catch(reasonOf), /^200/, `${peer.name}: the next exchange works`)
      }
      // The sockets of the honest target close a moment after ours.
      for (let turn = 0; turn < 1000 && resources() > before; turn++) await nextTurn()
      // Those of earlier tests may have gone since.
      t.ok(resources() <= before, `${resources()} timers and sockets, ${before} before`)
    },
  )
}

/** Resolves when an exchange must have ended, on a slow machine, too. */
const late = (timeoutMs: number) =>
  new Promise<string>(resolve => setTimeout(() => resolve('too late'), timeoutMs + 5000).unref())
