import { readFileSync } from 'node:fs'
import t from 'tap'
import { Surrogate } from '../../../../sdk/src/index.ts'
// @ts-expect-error a script of a page, without types
import { sdkSample } from './sdk-sample.js'

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly $ref?: string; readonly in?: string; readonly name?: string }[]
  readonly requestBody?: { readonly $ref?: string; readonly content: Record<string, { examples?: object }> }
}

const contract = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'))

// biome-ignore lint/suspicious/noExplicitAny: any part of the contract
const resolve = (part: any) =>
  part?.$ref
    ? part.$ref
        .slice(2)
        .split('/')
        // biome-ignore lint/suspicious/noExplicitAny: any part of the contract
        .reduce((at: any, name: string) => at[name], contract)
    : part

t.test('each sample of the client sends the request that it is a sample of', async t => {
  let sent = { method: '', path: '', body: '' }
  const surrogate = new Surrogate({
    apiKey: 'k',
    baseUrl: 'http://x',
    maxRetries: 0,
    fetch: async (input: string | URL | Request, init?: RequestInit) => {
      sent = {
        method: init?.method ?? '',
        path: new URL(String(input)).pathname,
        body: String(init?.body ?? ''),
      }
      return Response.json({ pagination: { page_number: 1, page_size: 20, total_pages: 0 }, data: [] })
    },
  })
  let samples = 0
  for (const [path, item] of Object.entries<Record<string, Operation>>(contract.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (!operation.operationId) continue
      const { operationId: id } = operation
      const parameters = [
        ...((item.parameters as unknown as Operation['parameters']) ?? []),
        ...(operation.parameters ?? []),
      ]
      const requestBody = resolve(operation.requestBody)
      const [media] = Object.values<{ examples?: object }>(requestBody?.content ?? {})
      const examples = Object.values(media?.examples ?? {}).map(one => resolve(one).value)
      for (const example of examples.length > 0 ? examples : [undefined]) {
        const code: string = sdkSample({ id, parameters: parameters.map(resolve), requestBody }, example)
        sent = { method: '', path: '', body: '' }
        const run = new Function('surrogate', 'id', 'keyId', 'body', `return (async () => { ${code} })()`)
        await run(surrogate, 'an-id', 'a-key', {})
        t.match(
          sent,
          {
            method: method.toUpperCase(),
            path: path.replace('{key_id}', 'a-key').replace(/\{\w+\}/, 'an-id'),
          },
          code,
        )
        if (example !== undefined) t.match(JSON.parse(sent.body), example, id)
        samples++
      }
    }
  }
  t.ok(samples > 30, `${samples} samples`)
})

t.test('texts of an example stay texts', async t => {
  const hostile = {
    "it's": 'a "quote", \\ and \n `$1` \u2028 </script>',
    list: [null, true, 1.5, []],
    nested: {},
  }
  const code: string = sdkSample({ id: 'tokens.create', parameters: [], requestBody: {} }, hostile)
  const run = new Function('surrogate', `return (async () => { ${code}; return result })()`)
  t.same(await run({ tokens: { create: (body: object) => body } }), hostile)
})
