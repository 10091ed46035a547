// In a process of its own: it builds a server of another contract.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import t from 'tap'
import { parse } from 'yaml'
import type { createVault } from '../../src/vault.ts'
import { bundleOptions } from '../build/bundle-options.ts'
import { bundleBackend } from './bundle-backend.ts'
import { factsModule } from './facts.ts'
import { writeValidationDocuments } from './validation-documents.ts'

/** The contract with other bounds and defaults. */
async function otherContract() {
  const document = parse(await readFile(new URL('../../../openapi.yaml', import.meta.url), 'utf8'))
  const { parameters, schemas } = document.components
  Object.assign(parameters.Size.schema, { maximum: 3, default: 2 })
  schemas.CreateCardNumberToken['x-defaults'].mask = '{{ data | reveal_last: 2 }}'
  schemas.CreateCardNumberToken['x-defaults'].containers = ['/cards/']
  schemas.ApplicationType['x-permissions'].private = ['token:read']
  document['x-limits'].payload_tokens = 2
  document['x-limits'].body_bytes = 200
  return document
}

/** Builds a server from the sources and from what another contract generates, into `folder`. */
async function buildServer(folder: URL): Promise<typeof createVault> {
  const document = await otherContract()
  const generated = new URL('generated/', folder)
  await mkdir(generated)
  await writeFile(new URL('facts.ts', generated), factsModule(document, document))
  await writeFile(new URL('openapi.json', generated), JSON.stringify(document))
  await writeValidationDocuments(document, generated)
  await bundleBackend(generated)
  const facts = fileURLToPath(new URL('facts.ts', generated))
  await build({
    ...bundleOptions,
    entryPoints: [fileURLToPath(new URL('../../src/index.ts', import.meta.url))],
    outdir: fileURLToPath(folder),
    plugins: [
      {
        name: 'other-facts',
        setup: ({ onResolve }) => onResolve({ filter: /\/generated\/facts\.ts$/ }, () => ({ path: facts })),
      },
    ],
  })
  return (await import(new URL('index.js', folder).href)).createVault
}

t.test('a server follows the bounds and defaults of its contract', async t => {
  const open = await buildServer(pathToFileURL(`${t.testdir()}/`))
  const vault = open({ storage: 'memory:', dev: true })
  t.teardown(() => vault.close())
  const { privateKey, managementKey } = await vault.createTenant()
  const send = async (method: string, path: string, body?: object, key = privateKey) => {
    const headers = { 'SVC-API-KEY': key, ...(body && { 'Content-Type': 'application/json' }) }
    const request = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await vault.fetch(`http://vault${path}`, request)
    return { status: response.status, json: await response.json() }
  }
  const card = { type: 'card_number', data: '4242424242424242' }

  const created = await send('POST', '/tokens', card)
  t.match(created.json, { data: 'XXXXXXXXXXXXXX42', containers: ['/cards/'] })
  for (const data of [1, 2]) await send('POST', '/tokens', { type: 'token', data })
  t.match((await send('GET', '/tokens')).json, { pagination: { page_size: 2, total_items: 3 } })
  t.equal((await send('GET', '/tokens?size=3')).json.data.length, 3)
  const found = await send('GET', '/tokens?size=4')
  t.match(found, { status: 400, json: { errors: { size: ['must be at most 3'] } } })

  t.equal((await send('POST', '/tokenize', [1, 2])).status, 200)
  t.equal((await send('POST', '/tokenize', [1, 2, 3])).status, 400)
  t.equal((await send('POST', '/tokens', { type: 'token', data: 'x'.repeat(200) })).status, 413)

  const application = (permission: string) => ({ name: 'A', type: 'private', permissions: [permission] })
  t.equal((await send('POST', '/applications', application('token:read'), managementKey)).status, 201)
  t.equal((await send('POST', '/applications', application('token:use'), managementKey)).status, 400)
})
