import { generatedFiles } from '../../generated-files.ts'
import { languages } from '../docs/languages.ts'
import { fileAt, html, StaticFiles, script, style } from './static-files.ts'

const folder = new URL('docs/', generatedFiles)

interface DocsOptions {
  /** Returns the contract as JSON. Is called at the first request for it. */
  readDocument(): string
  /** True if the page may send requests: on a development server. */
  readonly dev: boolean
}

/** Serves the contract as a page, from files of this package only: it works without a network. */
export function docsFiles({ readDocument, dev }: DocsOptions): StaticFiles {
  const samples = Object.keys(languages).map(name => [
    `/docs/samples/${name}.json`,
    fileAt(new URL(`samples/${name}.json`, folder), 'application/json'),
  ])
  return new StaticFiles({
    ...Object.fromEntries(samples),
    '/docs': fileAt(new URL('index.html', folder), html, text =>
      text.replace('SERVER_KIND', dev ? 'dev' : 'service'),
    ),
    '/docs/docs.js': fileAt(new URL('docs.js', folder), script),
    '/docs/docs.css': fileAt(new URL('docs.css', folder), style),
    '/docs/guide.json': fileAt(new URL('guide.json', folder), 'application/json'),
    '/docs/openapi.json': { type: 'application/json', read: () => Buffer.from(readDocument()) },
  })
}
