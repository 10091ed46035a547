import type { FormulasContext } from '../../formulas/context.ts'
import { createFormula } from '../../formulas/create.ts'
import { deleteFormula } from '../../formulas/delete.ts'
import type { FormulaInput } from '../../formulas/formula.ts'
import { listFormulas, readFormulaById } from '../../formulas/list.ts'
import { updateFormula } from '../../formulas/update.ts'
import type { Handlers } from './handler.ts'
import { pageOf, pathId, textOf } from './shapes.ts'

export function formulaHandlers(context: FormulasContext): Handlers {
  return {
    'reactorFormulas.create': async ({ caller, body, receipt }) => ({
      status: 201,
      body: await createFormula(context, caller, body as unknown as FormulaInput, receipt),
    }),
    'reactorFormulas.list': async ({ caller, query }) => ({
      status: 200,
      body: await listFormulas(context, caller, { ...pageOf(query), ...textOf('name', query) }),
    }),
    'reactorFormulas.get': async ({ caller, path }) => ({
      status: 200,
      body: await readFormulaById(context, caller, pathId(path)),
    }),
    'reactorFormulas.update': async ({ caller, path, body, receipt }) => ({
      status: 200,
      body: await updateFormula(context, caller, pathId(path), body as unknown as FormulaInput, receipt),
    }),
    'reactorFormulas.delete': async ({ caller, path }) => {
      await deleteFormula(context, caller, pathId(path))
      return { status: 204 }
    },
  }
}
