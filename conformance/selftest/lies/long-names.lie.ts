import { type Lie, mishears } from '../tell.ts'

/** A name may be as long as one likes. */
export const lie: Lie = {
  turns: ['FOR-003.a', 'REA-002.a'],
  tell: mishears('POST|PUT', /^\/react/, body => ({ ...body, name: body.name?.slice(0, 200) })),
}
