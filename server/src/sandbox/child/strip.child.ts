/**
 * Before SES comes: what it would hand on and what carries state from one compartment to the next. Node's
 * text coders throw errors of classes that stay open after lockdown, and segments have prototypes that
 * hardening does not reach.
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
