import { generatedFiles } from '../generated-files.ts'
import { fileAt, html, StaticFiles, script, style } from '../http/outside/static-files.ts'

const folder = new URL('dev-page/', generatedFiles)

/**
 * Serves the page of a development server. The files have no data: the page asks the operations for these.
 * @param headerPrefix of the header for keys, such as `SVC`
 */
export function devPageFiles(headerPrefix: string): StaticFiles {
  return new StaticFiles({
    '/_dev': fileAt(new URL('index.html', folder), html, text => text.replace('HEADER_PREFIX', headerPrefix)),
    '/_dev/page.js': fileAt(new URL('page.js', folder), script),
    '/_dev/page.css': fileAt(new URL('page.css', folder), style),
  })
}
