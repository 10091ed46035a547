import { generatedFiles } from '../../generated-files.ts'
import { fileAt, gzippedAt, html, policyOf, StaticFiles, script, style } from './static-files.ts'

const folder = new URL('docs/', generatedFiles)

/** Scalar sets styles of elements, and lets Vue parse markup, which it has sanitized. */
const policy = policyOf({ style: "'self' 'unsafe-inline'", trustedTypes: 'vue' })

interface DocsOptions {
  /** Returns the contract as JSON. Is called at the first request for it. */
  readDocument(): string
  /** True if the page may send requests: on a development server. */
  readonly dev: boolean
}

/** Serves the contract as a page, from files of this package only: it works without a network. */
export function docsFiles({ readDocument, dev }: DocsOptions): StaticFiles {
  const files = {
    '/docs': fileAt(new URL('index.html', folder), html, text =>
      text.replace('SERVER_KIND', dev ? 'dev' : 'service'),
    ),
    '/docs/docs.js': fileAt(new URL('docs.js', folder), script),
    '/docs/docs.css': fileAt(new URL('docs.css', folder), style),
    '/docs/scalar.js': gzippedAt(new URL('scalar.js.gz', folder), script),
    '/docs/openapi.json': { type: 'application/json', read: () => Buffer.from(readDocument()) },
  }
  return new StaticFiles(files, policy)
}
