import { type Lie, mishears, tokens } from '../tell.ts'

/** An index without a value is left out. */
export const lie: Lie = {
  turns: ['SEA-026.a'],
  tell: mishears('POST', tokens, body => ({
    ...body,
    search_indexes: body.search_indexes?.[0] === '{{ data.a }}' ? body.search_indexes : undefined,
  })),
}
