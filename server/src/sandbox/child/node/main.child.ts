/**
 * Modules of Node that need nothing but the globals of formulas. Unlike the classes of `inside/` they are evaluated anew
 * for each invocation that requires one: code extends and changes them, and nothing of that is left for the next one.
 */
import { events } from './events.child.ts'
import { fetchModule } from './fetch.child.ts'
import { querystring } from './querystring.child.ts'
import { stream } from './stream.child.ts'
import { util } from './util.child.ts'

export const modules: Readonly<Record<string, unknown>> = {
  events,
  'node-fetch': fetchModule,
  querystring,
  stream,
  'stream/promises': stream.promises,
  util,
  'util/types': util.types,
}
