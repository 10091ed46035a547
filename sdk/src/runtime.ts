/** Globals that only some runtimes have. */
interface Globals {
  readonly navigator?: { readonly userAgent?: string }
  readonly process?: { readonly versions?: { readonly node?: string } }
}

/** Returns name and version of the runtime, such as `Node.js/22` or `Deno/2.1.4`; a browser says `Mozilla/5.0 …`. */
export function runtime(): string {
  const { navigator, process } = globalThis as Globals
  return navigator?.userAgent ?? (process?.versions ? `Node.js/${process.versions.node}` : '')
}
