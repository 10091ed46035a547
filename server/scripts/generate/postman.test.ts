import { readFileSync } from 'node:fs'
import t from 'tap'
import { readOperations } from '../../src/contract/contract.ts'
import { generatedFiles } from '../../src/generated-files.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'

interface Item {
  readonly name: string
  readonly item?: readonly Item[]
  readonly request?: {
    readonly method: string
    readonly header: readonly { readonly key: string; readonly value: string }[]
    readonly url: { readonly path: readonly string[] }
    readonly body?: { readonly raw: string }
  }
}

const collection = JSON.parse(
  readFileSync(new URL('surrogate.postman_collection.json', generatedFiles), 'utf8'),
) as Item & { readonly variable: readonly { readonly key: string; readonly value: string }[] }

t.test('the collection has a request for each operation, and a server takes all of them', async t => {
  const vault = openVault(t, {
    allowPrivateCallbacks: true,
    proxyAllowOrigins: ['https://api.example.com'],
  })
  const tenant = await openTenant(vault)
  const variables = new Map<string, string>([
    ['private_key', tenant.privateKey],
    ['management_key', tenant.managementKey],
    ['public_key', tenant.publicKey],
  ])
  t.same(
    collection.variable.map(({ key }) => key),
    ['url', ...variables.keys()],
  )
  const seen = new Set<string>()
  for (const { item = [], name: folder } of collection.item ?? []) {
    t.ok(item.length > 0, folder)
    for (const { name, request } of item) {
      if (!request) throw new Error(name)
      const path = `/${request.url.path.join('/')}`
      seen.add(`${request.method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
      const headers = request.header.map(({ key, value }): [string, string] => [
        key,
        value.replace(/\{\{(\w+)\}\}/, (_, variable) => variables.get(variable) ?? 'unknown'),
      ])
      const init = { method: request.method, headers, ...(request.body ? { body: request.body.raw } : {}) }
      const url = `http://vault${path.replaceAll(/:\w+/g, '00000000-0000-4000-8000-000000000000')}`
      const { status } = await vault.fetch(url, init)
      // What its path or example names is not there: ids, nonces.
      t.ok([200, 201, 202, 204, 400, 404].includes(status), `${folder}: ${name}: ${status}`)
      if (status === 400 && path !== '/jobs/:id')
        t.match(request.body?.raw, /[0-9a-f]{8}-|\{\{/, `${name}: an id in the body`)
    }
  }
  t.same(
    [...seen].sort(),
    readOperations()
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  )
})
