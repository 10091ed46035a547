/**
 * Removes globals before SES is loaded that could carry state from one compartment to the next. Node's text coders
 * throw errors whose classes remain mutable after lockdown, and `Intl.Segmenter` has prototypes that `harden` does
 * not reach.
 */
const globals = globalThis as Record<string, unknown>
for (const name of [
  'TextEncoder',
  'TextDecoder',
  'WebAssembly',
  'SharedArrayBuffer',
  'Atomics',
  'FinalizationRegistry',
  'WeakRef',
]) {
  delete globals[name]
}
delete (Intl as Record<string, unknown>).Segmenter
