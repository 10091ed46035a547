import t from 'tap'
import { headerPrefix } from '../generated/facts.ts'
import { readOperations } from './backend.ts'
import { readDocument } from './contract.ts'
import { type ContractMember, ContractMembers } from './members.ts'

const places = new ContractMembers(JSON.parse(readDocument(headerPrefix)))

/** Finds all members below a place, each with the path to it. */
function* membersBelow(
  place: ContractMember,
  path: string,
  depth = 0,
): Generator<[path: string, place: ContractMember]> {
  if (depth > 8) return
  for (const [name, member] of place.members) {
    yield [`${path}.${name}`, place]
    yield* membersBelow(member, `${path}.${name}`, depth + 1)
  }
  if (!place.takesAnyMember && place.members.size === 0)
    yield* membersBelow(place.items, `${path}.0`, depth + 1)
}

t.test('members of the contract are in snake_case, and none is another one in camelCase', async t => {
  let found = 0
  for (const operation of readOperations()) {
    const bodies = [
      places.ofRequest(operation),
      ...operation.statuses.map(status => places.ofResponse(operation, Number(status))),
    ]
    for (const [path, place] of bodies.flatMap(body => [...membersBelow(body, operation.id)])) {
      found++
      const name = path.slice(path.lastIndexOf('.') + 1)
      if (!/^[a-z0-9_]+$/.test(name) || place.members.has(place.inCamelCase.get(name) ?? ''))
        t.fail(`${path} cannot be told from another member`)
    }
  }
  t.ok(found > 300, `${found} members`)
})

t.test('what belongs to callers has no members of the contract', async t => {
  const token = places.ofSchema('Token')
  const request = places.ofSchema('CreateTokenRequest')
  for (const [place, name] of [
    ...['data', 'mask', 'metadata'].map(name => [token, name] as const),
    ...['data', 'mask', 'metadata'].map(name => [request, name] as const),
    [places.ofSchema('ReactRequest'), 'args'],
    ...['raw', 'tokens'].map(name => [places.ofSchema('ReactorResponse'), name] as const),
    [places.ofSchema('Reactor'), 'configuration'],
  ] as const) {
    t.equal(place.members.get(name)?.takesAnyMember, true, name)
    t.equal(place.members.get(name)?.members.size, 0, name)
    t.equal(place.members.get(name)?.items.takesAnyMember, true, name)
  }
  t.equal(places.ofSchema('CardData').takesAnyMember, false, 'control')
  t.ok(token.inCamelCase.get('createdBy') === 'created_by')
})
