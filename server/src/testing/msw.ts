/**
 * @module @surrogate/server/msw
 * Serves a vault by msw (2 or later, which you install) at the address that an application uses, without a port and
 * without a change to the application.
 */
import { type HttpHandler, HttpResponse, http } from 'msw'
import type { Vault } from '../vault.ts'

/**
 * Returns handlers that pass every request below `baseUrl` to a vault in this process.
 *
 * @param baseUrl the address of the server in the application's configuration; may have a path
 * @throws {TypeError} if `baseUrl` is not an absolute http or https URL, or has a query or fragment
 *
 * @example
 * const vault = createVault({ storage: 'memory:' })
 * const { privateKey } = await vault.createTenant()
 * const server = setupServer(...vaultHandlers(vault, 'https://vault.example.org'))
 * server.listen()
 */
export function vaultHandlers(vault: Pick<Vault, 'fetch'>, baseUrl: string): HttpHandler[] {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (!base || !/^https?:$/.test(base.protocol) || base.search || base.hash) {
    throw new TypeError('baseUrl must be an absolute http or https URL without query and fragment')
  }
  const path = base.pathname.replace(/\/+$/, '')
  const below = new RegExp(`^${escaped(base.origin + path)}(?=[/?]|$)`)
  return [
    http.all(below, async ({ request }) => {
      const url = new URL(request.url)
      url.pathname = url.pathname.slice(path.length)
      // A connection that was closed on purpose; other errors are mistakes.
      return vault.fetch(path === '' ? request : new Request(url, request)).catch(error => {
        if (Object(error).name === 'TypeError') return HttpResponse.error()
        throw error
      })
    }),
  ]
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}
