/** Makes the samples that `/docs` shows in languages that have no client, from the examples of the contract. */
import { mkdir, writeFile } from 'node:fs/promises'
import { type HarRequest, HTTPSnippet } from '@readme/httpsnippet'
import type { JsonObject, JsonValue } from '../../src/base/json/json.ts'
import { type Language, languages, placeholders } from '../../src/http/docs/languages.ts'

/** The library that each language uses: what comes with it where that is usual. */
const clients: Readonly<Record<Language, string>> = {
  python: 'requests',
  go: 'native',
  java: 'nethttp',
  php: 'curl',
  ruby: 'native',
  csharp: 'httpclient',
}

/** The samples of a language, by operation and example. An operation without examples has one with an empty name. */
type Samples = Record<string, Record<string, string>>

/** Writes a file for each language, since most readers want one of them. */
export async function writeSamples(document: JsonObject, folder: URL): Promise<void> {
  await mkdir(folder, { recursive: true })
  const requests = requestsOf(document)
  for (const language of Object.keys(languages) as Language[])
    await writeFile(new URL(`${language}.json`, folder), JSON.stringify(samplesIn(language, requests)))
}

interface Pair {
  readonly name: string
  readonly value: string
}

interface Request {
  readonly operation: string
  readonly example: string
  /** In the form of an HTTP archive. */
  readonly har: {
    readonly method: string
    readonly url: string
    readonly headers: readonly Pair[]
    readonly queryString: readonly Pair[]
    readonly postData?: { readonly mimeType: string; readonly text: string }
  }
}

function samplesIn(language: Language, requests: readonly Request[]): Samples {
  const samples: Samples = {}
  for (const { operation, example, har } of requests) {
    const [code = false] =
      new HTTPSnippet(har as unknown as HarRequest).convert(language, clients[language]) || []
    if (code === false) throw new Error(`${operation} has no sample in ${language}`)
    samples[operation] = { ...samples[operation], [example]: code }
  }
  return samples
}

/** Returns a request for each example of each operation. */
export function requestsOf(document: JsonObject): Request[] {
  const resolve = (part: JsonValue | undefined): JsonObject => {
    const { $ref } = (part ?? {}) as JsonObject
    if (typeof $ref !== 'string') return (part ?? {}) as JsonObject
    return resolve(
      $ref
        .slice(2)
        .split('/')
        .reduce<JsonValue | undefined>((at, name) => (at as JsonObject)?.[name], document),
    )
  }
  return Object.entries(document.paths as Record<string, JsonObject>).flatMap(([path, item]) =>
    Object.entries(item as Record<string, JsonObject>).flatMap(([method, operation]) => {
      if (typeof operation.operationId !== 'string') return []
      const parameters = [item.parameters, operation.parameters].flatMap(list => (list ?? []) as JsonValue[])
      const queryString = parameters
        .map(resolve)
        .filter(one => one.in === 'query' && one.required === true)
        .map(one => ({ name: String(one.name), value: 'VALUE' }))
      const [[type, media] = []] = Object.entries(resolve(resolve(operation.requestBody).content))
      const examples = Object.entries(resolve(resolve(media).examples))
      return (examples.length > 0 ? examples : ([['', undefined]] as const)).map(([example, given]) => ({
        operation: operation.operationId as string,
        example,
        har: {
          method: method.toUpperCase(),
          url: placeholders.origin + path.replaceAll(/\{\w+\}/g, placeholders.id),
          headers: [
            { name: placeholders.header, value: placeholders.key },
            ...(type === undefined ? [] : [{ name: 'Content-Type', value: type }]),
          ],
          queryString,
          ...(type === undefined
            ? {}
            : { postData: { mimeType: type, text: JSON.stringify(resolve(given).value ?? {}) } }),
        },
      }))
    }),
  )
}
