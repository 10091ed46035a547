import { hostileCases } from '../../../src/expressions/hostile.cases.ts'
import type { Loose } from '../json-text.ts'
import { list, most, type Oversized, token } from './shape.ts'

/** The hostile templates of the expressions' tests, in every member that can be an expression. */
export const templates: readonly Oversized[] = hostileCases
  .filter(({ data }) => typeof data !== 'number' || Number.isSafeInteger(data))
  .map(({ title, template, data = 1 }) => ({
    title: `a template: ${title}`,
    operation: 'tokens.create',
    make: dice => {
      const member = dice.pick<Record<string, Loose>>([
        { mask: template },
        { mask: list(100, () => template) },
        { fingerprint_expression: template },
        { search_indexes: list(10, () => template) },
        { id: template.includes('{{') ? template : `{{ data }}${template}` },
      ])
      const body = token({ data: data as Loose, ...member })
      return {
        body: body.length < most ? body : token({ data: data as Loose, mask: template }).slice(0, most),
      }
    },
  }))
