import { version } from './version.ts'

/** Globals that only some runtimes have. */
interface Globals {
  readonly navigator?: { readonly userAgent?: string }
  readonly process?: { readonly version?: string }
}

/** Name and version of the runtime, such as `Node.js/22` or `Deno/2.1.4`; a browser says `Mozilla/5.0 …`. */
function runtime(): string {
  const { navigator, process } = globalThis as Globals
  return navigator?.userAgent ?? (process?.version ? `Node.js/${process.version.slice(1)}` : '')
}

/** True in pages and workers of a browser, and in test environments that imitate one. */
export const isBrowser = () => /^Mozilla\//.test(runtime())

/** Returns the `User-Agent`, or undefined in a browser: a page that sets it may not call a server of another origin. */
export function userAgent(): string | undefined {
  return isBrowser() ? undefined : `surrogate-sdk/${version} ${runtime()}`.trim()
}
