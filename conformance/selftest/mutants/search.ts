import { type Body, failing, type Mutants, tokenSearch, tokens } from '../mutate.ts'

/** Mutants of searches. */
export const searchMutants: Mutants = {
  // An index expression without a value is ignored.
  'empty-index-accepted': failing('SEA-026.a').setInRequest('POST', tokens, body => ({
    search_indexes: body.search_indexes?.[0] === '{{ data.a }}' ? body.search_indexes : undefined,
  })),
  // A search shows all data to every caller.
  'leaks-in-search': failing('SEA-031.a').useKeys('POST', tokenSearch, [200], 'privateKey'),
  // A page has ten items by default.
  'page-of-10': failing('SEA-033.a').setInRequest('POST', tokenSearch, body => ({ size: body.size ?? 10 })),
  // A page may have any size.
  'page-of-101': failing('SEA-034.a').setInRequest('POST', tokenSearch, body => ({
    size: Math.min(body.size ?? 20, 100),
  })),
  // A search counts pages from 0.
  'page-shifted': failing('SEA-032.a').setInRequest('POST', tokenSearch, body => ({
    page: (body.page ?? 1) + 1,
  })),
  // An invalid query finds nothing.
  'search-answers-nothing': failing('SEA-018.a', 'SEA-503.a').changeStatus('POST', tokenSearch, 400, 200, {
    pagination: { total_items: 0, page_number: 1, page_size: 20, total_pages: 0 },
    data: [],
  }),
  // A range in brackets excludes its ends.
  'search-bounds-left-out': failing('SEA-013.a').setInRequest('POST', tokenSearch, body => ({
    query: body.query?.replaceAll('[', '{').replaceAll(']', '}'),
  })),
  // A range in braces includes its ends.
  'search-bounds-taken-in': failing('SEA-014.a').setInRequest('POST', tokenSearch, body => ({
    query: body.query?.replaceAll('{', '[').replaceAll('}', ']'),
  })),
  // A container term also finds tokens of the containers below it.
  'search-finds-children': failing('SEA-010.a').setInRequest('POST', tokenSearch, body => ({
    query: body.query?.replace(/\/"$/, '/*"'),
  })),
  // A search by data finds nothing.
  'search-ignores-indexes': failing('SEA-016.a', 'SEA-025.a', 'SEA-027.a', 'SEA-030.a').setInRequest(
    'POST',
    tokenSearch,
    body => ({ query: body.query?.replace(/data:/, 'metadata.data:') }),
  ),
  // A search ignores NOT.
  'search-ignores-not': failing('SEA-005.a').setInRequest('POST', tokenSearch, body => ({
    query: body.query?.replaceAll(/NOT |!|(?<=[( ])-/g, ''),
  })),
  // A container term with a star finds only that container.
  'search-ignores-star': failing('SEA-011.a').setInRequest('POST', tokenSearch, body => ({
    query: body.query?.replace('a/*"', 'a/"'),
  })),
  // A metadata term is compared with regard to case.
  'search-minds-case': failing('SEA-009.a').changeResponse('POST', tokenSearch, (body, received) => {
    const [, name, value] = /metadata\.(\w+):(\w+)\)/.exec(received.body?.query ?? '') ?? []
    return name === undefined
      ? body
      : { ...body, data: body.data.filter((one: Body) => one.metadata?.[name] === value) }
  }),
  // A search binds OR before AND.
  'search-or-before-and': failing('SEA-501.a').setInRequest('POST', tokenSearch, body => ({
    query: body.query?.replace(/\((\S+ OR \S+) AND (\S+)\)$/, '(($1) AND $2)'),
  })),
  // Operators work in lower case.
  'search-takes-lower-case-operators': failing('SEA-007.a').setInRequest('POST', tokenSearch, body => ({
    query: body.query?.replaceAll(/ or /gi, ' OR '),
  })),
  // A star after a name counts as a star after a slash.
  'star-needs-a-slash': failing('SEA-531.a').setInRequest('POST', tokenSearch, body => ({
    query: body.query?.replace(/([a-z0-9])\*"/, '$1/"'),
  })),
}
