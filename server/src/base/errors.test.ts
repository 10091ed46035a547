import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { errorRegistry } from './errors.ts'

const contract = parse(readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8'))
const { type } = contract.components.schemas.Problem.properties

t.test('the registry and the contract name the same errors', async t => {
  const codes = Object.keys(errorRegistry).map(code => `urn:surrogate:error:${code}`)
  t.same(codes.sort(), [...type.enum].sort())
})

t.test('the contract has the same status for each', async t => {
  const described = new Map<string, string>()
  for (const [, status, codes] of type.description.matchAll(/(\d{3})\s((?:`\w+`,?\s*)+)/g)) {
    for (const [, code] of codes.matchAll(/`(\w+)`/g)) described.set(code, status)
  }
  for (const [code, { status }] of Object.entries(errorRegistry))
    t.equal(described.get(code), String(status), code)
  t.equal(described.size, Object.keys(errorRegistry).length)
})
