// Checks rules of the schemas in openapi.yaml on which the server's validators and the generated types rely.
import { Ajv } from 'ajv'
import { testRule } from '../../support/test-rule.ts'
import { contract, isObj, type Json, list, obj, operations, resolve, schemas, text } from './contract.ts'

testRule('uses only keywords that mean the same in draft-07 and 2020-12', async t => {
  const validating = new Set([
    ...['type', 'enum', 'const', 'format', 'allOf', 'anyOf', 'oneOf', 'not'],
    ...['required', 'properties', 'additionalProperties', 'propertyNames'],
    ...['minProperties', 'maxProperties', 'exclusiveMinimum', 'uniqueItems'],
    ...['items', 'minItems', 'maxItems', 'minLength', 'maxLength', 'pattern', 'minimum', 'maximum'],
  ])
  const other = new Set(['title', 'description', 'default', 'examples'])
  for (const [where, schema] of schemas())
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === '$ref') {
        const beside = Object.keys(schema).filter(key => key !== '$ref')
        t.strictSame(beside, [], `${where}: nothing beside $ref`)
        t.ok(resolve(schema), `${where}: $ref has a target`)
      } else if (!keyword.startsWith('x-') && !other.has(keyword)) {
        t.ok(validating.has(keyword), `${where}: ${keyword}`)
        if (keyword === 'items') t.ok(isObj(value), `${where}: items is one schema`)
      }
    }
  for (const [name, schema] of Object.entries(obj(obj(contract.components).schemas)))
    t.notOk(obj(schema).$ref, `${name} is not just an alias`)
})

testRule('has no defaults in bodies, which generators would require of those who send', async t => {
  const found: string[] = []
  const visit = (part: unknown, path: string): void => {
    if (typeof part !== 'object' || part === null) return
    for (const [name, value] of Object.entries(part)) {
      if (name === 'default') found.push(path)
      else visit(value, `${path}/${name}`)
    }
  }
  const named = obj(obj(contract.components).schemas)
  visit(named, '')
  t.same(found, [])
  t.ok(JSON.stringify(named).includes('"x-default"'), 'control: they are said otherwise')
})

testRule('has examples of responses that are valid', async t => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  ajv.addSchema(contract, 'contract')
  let count = 0
  for (const [name, schema] of Object.entries(obj(obj(contract.components).schemas))) {
    const validate = ajv.compile({ $ref: `contract#/components/schemas/${name}` })
    for (const example of list(obj(schema).examples ?? [])) {
      count++
      t.ok(validate(example), `${name}: ${ajv.errorsText(validate.errors)}`)
    }
  }
  t.ok(count >= 2)
  // Of `default`, the response that a formula chooses has any content.
  for (const { id, responses } of operations) {
    for (const [status, { content }] of responses.filter(([status]) => /^2/.test(status))) {
      for (const media of Object.values(obj(content)).map(obj)) {
        const { example, schema } = media
        const shown = [...list(obj(schema).examples), ...list(resolve(schema).examples)]
        t.ok(example !== undefined || media.examples !== undefined || shown.length > 0, `${id}, ${status}`)
      }
    }
  }
})

testRule('declares exactly the formats that JSON Schema does not have', async t => {
  const standard = new Set(['uuid', 'date-time', 'uri', 'uri-reference'])
  const used = new Set([...schemas()].flatMap(([, schema]) => text(schema.format) || []))
  const own = [...used].filter(format => !standard.has(format)).sort()
  t.strictSame(own, Object.keys(obj(contract['x-formats'])).sort())
  for (const [name, meaning] of Object.entries(obj(contract['x-formats']))) t.ok(text(meaning), name)
})

testRule('distinguishes the branches of a union by one member', async t => {
  for (const [where, schema] of schemas()) {
    const member = schema['x-discriminator']
    if (member === undefined) continue
    const tags = list(schema.oneOf).map(branch => {
      const { properties, required } = resolve(branch)
      t.ok(list(required).includes(text(member)), `${where}: ${member} is required`)
      t.equal(Object.keys(obj(properties))[0], member, `${where}: ${member} comes first`)
      return text(obj(obj(properties)[text(member)]).const)
    })
    t.ok(tags.every(Boolean) && new Set(tags).size === tags.length, `${where}: ${tags.join(', ')}`)
  }
  const found = [...schemas()].some(([, schema]) => 'discriminator' in schema)
  t.notOk(found, 'no schema has a discriminator: its values would be names of schemas')
})

testRule('gives each type of token its own request, with defaults that its description shows', async t => {
  const { oneOf } = resolve({ $ref: '#/components/schemas/CreateTokenRequest' })
  const requests = list(oneOf).map(resolve)
  const types = requests.map(request => obj(obj(request.properties).type).const)
  t.strictSame(types, resolve({ $ref: '#/components/schemas/TokenType' }).enum)
  const leaves = (value: Json): string[] => {
    if (typeof value === 'string') return [value]
    return isObj(value) || Array.isArray(value) ? Object.values(value).flatMap(leaves) : []
  }
  for (const request of requests) {
    const defaults = obj(request['x-defaults'])
    const members = ['containers', 'mask', 'fingerprint_expression', 'search_indexes']
    t.strictSame(Object.keys(defaults), members)
    const shown = text(request.description).replace(/\s+/g, ' ')
    for (const leaf of leaves(defaults))
      t.ok(shown.includes(`\`${leaf}\``), `${obj(obj(request.properties).type).const}: ${leaf}`)
  }
})

testRule('has a message for each rule that a schema cannot explain', async t => {
  for (const [where, schema] of schemas()) {
    if (schema.not !== undefined) t.ok(schema['x-violation'], `${where}: not`)
    if (schema.maxItems === 0 && !/ not\b/.test(where))
      t.ok(text(schema['x-violation']), `${where}: maxItems`)
    if (!isObj(schema['x-violation'])) continue
    const branches = [schema, ...list(schema.oneOf).map(resolve)]
    for (const member of Object.keys(obj(schema['x-violation'])))
      t.ok(
        branches.some(branch => member in obj(branch.properties)),
        `${where}: ${member} is a member`,
      )
  }
})

// The server and the suite both take their defaults from the contract, so a wrong one would go unseen elsewhere.
// Requirements: TYP-501
testRule('the defaults of each type of token are those of the specification', async t => {
  const lastFour = '{{ data | reveal_last: 4 }}'
  const hyphenless = "{{ data | remove: '-' }}"
  const card = {
    number: '{{ data.number | reveal_last: 4 }}',
    expiration_month: '{{ data.expiration_month }}',
    expiration_year: '{{ data.expiration_year }}',
  }
  const bank = {
    routing_number: '{{ data.routing_number }}',
    account_number: '{{ data.account_number | reveal_last: 4 }}',
  }
  const digits = ['{{ data }}', "{{ data | remove: '-'}}", '{{ data | last4 }}']
  const expected = {
    token: ['/general/high/', null, '{{ data | stringify }}', []],
    card: ['/pci/high/', card, '{{ data.number }}', []],
    bank: ['/bank/high/', bank, '{{ data.account_number }}|{{ data.routing_number }}', []],
    card_number: ['/pci/high/', lastFour, '{{ data }}', []],
    us_bank_account_number: ['/bank/high/', lastFour, '{{ data }}', []],
    us_bank_routing_number: ['/bank/low/', lastFour, '{{ data }}', []],
    social_security_number: ['/pii/high/', lastFour, hyphenless, digits],
    employer_id_number: ['/pii/high/', lastFour, hyphenless, digits],
  }
  const branches = list(resolve({ $ref: '#/components/schemas/CreateTokenRequest' }).oneOf).map(resolve)
  const stated = branches.map(branch => {
    const { containers, mask, fingerprint_expression, search_indexes } = obj(branch['x-defaults'])
    const type = text(resolve(obj(branch.properties).type).const)
    return [type, [...list(containers), mask, fingerprint_expression, search_indexes]]
  })
  t.same(Object.fromEntries(stated), expected)
})

testRule('each kind of application may hold its permissions', async t => {
  const { 'x-permissions': permissions } = resolve({ $ref: '#/components/schemas/ApplicationType' })
  t.same(permissions, {
    public: ['token:create', 'token:update'],
    private: ['create', 'read', 'update', 'delete', 'search', 'use'].map(verb => `token:${verb}`),
    management: [
      ...['reactor:create', 'reactor:read', 'reactor:update', 'reactor:delete'],
      ...['application:create', 'application:read', 'application:update', 'application:delete', 'log:read'],
    ],
  })
})
