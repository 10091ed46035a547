import type { FilterImplOptions, Liquid as Language } from 'liquidjs'
import { operators } from '../comparing.ts'
import { type Call, type Filter, runFilter } from '../filters/filter.ts'
import { allFilters } from '../filters/index.ts'
import type { Run } from '../run.ts'
import { addedFilters } from './amend.ts'
import { Liquid } from './liquidjs.ts'
import { allTags } from './tags.ts'

/** Returns liquidjs with our filters, our operators and the tags that we can bound, and no others. */
export function createLanguage(): Language {
  const language = new Liquid({ operators: operators as never, locale: 'en-US' })
  for (const name of Object.keys(language.filters)) language.unregisterFilter(name)
  for (const name of Object.keys(language.tags)) delete language.tags[name]
  for (const [name, tag] of Object.entries(allTags)) language.registerTag(name, tag)
  for (const [name, filter] of [...allFilters, ...Object.entries(addedFilters)]) {
    language.registerFilter(name, handlerOf(filter))
  }
  return language
}

function handlerOf(filter: Filter): FilterImplOptions {
  return function (this: { context: unknown; token: Call }, input: unknown, ...args: unknown[]) {
    return runFilter(filter, this.token, this.context as Run, input, args)
  }
}
