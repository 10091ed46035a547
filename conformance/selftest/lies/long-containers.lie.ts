import { type Lie, mishears } from '../tell.ts'

/** A container of a token may be as long and as deep as one likes. */
export const lie: Lie = {
  turns: ['ACC-531.a'],
  tell: mishears('POST|PATCH', /^\/tokens/, body => ({
    ...body,
    containers: body.containers?.map((path: string) => (path.length > 250 ? `${path.slice(0, 249)}/` : path)),
  })),
}
