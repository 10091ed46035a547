/**
 * @module @surrogate/server/msw
 * A vault as handlers of msw (2 or later, which you install): the tests of an application meet real behaviour
 * at the address they know, without a port and without a change to the application.
 */
import { type HttpHandler, http } from 'msw'
import type { Vault } from './vault.ts'

/**
 * Handlers that let a vault in this process answer everything below `baseUrl`.
 *
 * @param baseUrl what the application has as the server's address; it may have a path, and nothing behind it
 * @throws {TypeError} where `baseUrl` is no such URL
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
      return vault.fetch(path === '' ? request : new Request(url, request))
    }),
  ]
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}
