import { type Body, type Lie, rewords, tokenSearch } from '../tell.ts'

/** A metadata term minds case. */
export const lie: Lie = {
  turns: ['SEA-009.a'],
  tell: rewords('POST', tokenSearch, (body, heard) => {
    const [, name, value] = /metadata\.(\w+):(\w+)\)/.exec(heard.body?.query ?? '') ?? []
    return name === undefined
      ? body
      : { ...body, data: body.data.filter((one: Body) => one.metadata?.[name] === value) }
  }),
}
