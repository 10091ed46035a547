// In a process of its own: looks through all objects of the process.
import { text } from 'node:stream/consumers'
import { getHeapSnapshot } from 'node:v8'
import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { keyLength } from '../crypto/envelope.ts'

/** A key that is found among all objects by its class. */
class ConspicuousKey extends Uint8Array {}

interface Snapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: string[]
      readonly node_types: [string[]]
      readonly edge_fields: string[]
      readonly edge_types: [string[]]
    }
  }
  readonly nodes: number[]
  readonly edges: number[]
  readonly strings: string[]
}

/** Returns what holds the object of a class: its holders, and theirs, up to objects of the class `owner`. */
function holdersOf(
  className: string,
  owner: string,
  { snapshot, nodes, edges, strings }: Snapshot,
): string[] {
  const { node_fields, node_types, edge_fields, edge_types } = snapshot.meta
  const width = node_fields.length
  const countAt = node_fields.indexOf('edge_count')
  const typeOf = (node: number) => node_types[0][nodes[node] ?? 0] ?? ''
  // A bundler may have put a mark beside a name.
  const nameOf = (node: number) => strings[nodes[node + 1] ?? 0]?.replace(/^_|\d+$/g, '') ?? ''
  const all = Array.from({ length: nodes.length / width }, (_, index) => index * width)
  let held = new Set(all.filter(node => typeOf(node) === 'object' && nameOf(node) === className))
  const [said, seen] = [new Set<string>(), new Set(held)]
  while (held.size > 0) {
    const holders = new Set<number>()
    let edge = 0
    for (const node of all) {
      for (let count = nodes[node + countAt] ?? 0; count > 0; count--, edge += edge_fields.length) {
        const [type = 0, name = 0, to = 0] = [edges[edge], edges[edge + 1], edges[edge + 2]]
        if (!held.has(to) || edge_types[0][type] === 'weak' || typeOf(node) === 'synthetic') continue
        said.add(`${nameOf(node)}.${strings[name]}`)
        if (nameOf(node) !== owner && !seen.has(node)) holders.add(node)
        seen.add(node)
      }
    }
    held = holders
  }
  return [...said].sort()
}

t.test('of all objects of the process only the keyring of storage holds the master key', async t => {
  const vault = openVault(t, {
    masterKey: new ConspicuousKey(keyLength).fill(7),
    proxyAllowOrigins: ['https://api.example.com'],
    metrics: true,
  })
  const tenant = await openTenant(vault)
  t.equal((await tenant.send('POST', '/tokens', { type: 'token', data: 'x' })).status, 201)
  const objects: Snapshot = JSON.parse(await text(getHeapSnapshot()))
  t.same(holdersOf('ConspicuousKey', 'Keyring', objects), ['Keyring.#master', 'Object.key'])
  t.same(holdersOf('Keyring', 'Records', objects), ['Records.#keyring'])
})
