import fc from 'fast-check'
import { hostilePeers } from '../support/hostile-peers.ts'
import { keys } from './callers.ts'
import { type Extra, type FuzzCase, type FuzzRequest, request } from './case.ts'
import { newFormula, newReactor } from './drafts.ts'
import type { Draw } from './draw.ts'
import { nameOf } from './peers.ts'

const answering = 'module.exports = async () => ({ raw: 1 })'
const json = ['Content-Type', 'application/json'] as const

type PeerCase = Pick<FuzzCase, 'title' | 'request' | 'prelude'> & { readonly extra?: Extra }

/** Draws a request that makes the server send one, to a hostile peer or to the fuzz's own target. */
export function peerCase(draw: Draw, number: number): PeerCase {
  const peer = draw(
    fc.oneof(fc.constant(-1), fc.nat(hostilePeers.length - 1), fc.nat(hostilePeers.length - 1)),
  )
  const at = peer === -1 ? 'the own target' : `a peer: ${hostilePeers[peer]?.name}`
  const made = draw(fc.constantFrom(proxied, fetched, calledBack))(draw, peer, `/case-${number}`)
  return { ...made, title: `${made.title} ${at}` }
}

/** True for a peer that lets others wait for as long as they want to. */
function isEndless(peer: number): boolean {
  const { head, body } = hostilePeers[peer] ?? {}
  return head === 'time' || body === 'time'
}

function proxied(draw: Draw, peer: number, path: string): PeerCase {
  const method = draw(fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'))
  const body = draw(fc.constantFrom(undefined, '{"a":1}', `"${'x'.repeat(300_000)}"`))
  const headers = [['SVC-PROXY-URL', nameOf(peer)], ...(body === undefined ? [] : [json])] as const
  const sent: FuzzRequest = {
    method,
    target: `/proxy${path}`,
    headers: [['SVC-API-KEY', keys.private], ...headers],
  }
  return {
    title: `${method} to /proxy${body === undefined ? '' : ' with a body'},`,
    prelude: [],
    request: body === undefined ? sent : { ...sent, body },
    extra:
      peer === -1
        ? { check: 'arrives', path, body: body ?? '' }
        : { check: isEndless(peer) ? 'left' : 'settles', peer },
  }
}

/** The first reactor of the preparations fetches what its arguments say. */
function fetched(draw: Draw, peer: number, path: string): PeerCase {
  const method = draw(fc.constantFrom('GET', 'POST', 'DELETE'))
  const body = method === 'GET' ? '' : draw(fc.constantFrom('', 'abc', 'x'.repeat(100_000)))
  const args = { url: `${nameOf(peer)}${path}`, method, ...(body === '' ? {} : { body }) }
  return {
    title: `${method} by a formula,`,
    prelude: [],
    request: request('POST', '/reactors/@@reactor.0@@/react', keys.private, { args }),
    extra: peer === -1 ? { check: 'arrives', path, body } : { check: 'settles', peer },
  }
}

/** A webhook. Those to other peers must not keep this one from being delivered. */
function calledBack(_: Draw, peer: number, path: string): PeerCase {
  const accepted = (key: string, reactor: string, callback_url: string) =>
    request('POST', `/reactors/${reactor}/react`, key, { args: { number: 1 }, callback_url })
  // Deliveries to an endless peer are of another tenant, as they take long.
  if (isEndless(peer)) {
    const { operator, other } = keys
    const prelude = [newFormula(operator, answering), newReactor(operator, '@@0.id@@')]
    return { title: 'webhooks for', prelude, request: accepted(other, '@@1.id@@', `@@peer.${peer}@@/`) }
  }
  const hostile = accepted(keys.private, '@@reactor.1@@', `@@peer.${peer}@@/`)
  return {
    title: 'webhooks for',
    prelude: peer === -1 ? [] : Array.from({ length: 6 }, () => hostile),
    request: accepted(keys.private, '@@reactor.1@@', `@@sink@@${path}`),
    extra: { check: 'arrives', path: `/hook${path}` },
  }
}
