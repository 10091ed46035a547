import type { FormulasContext } from '../../formulas/context.ts'
import { createFormula } from '../../formulas/create.ts'
import { deleteFormula } from '../../formulas/delete.ts'
import { listFormulas, readFormulaById } from '../../formulas/list.ts'
import { updateFormula } from '../../formulas/update.ts'
import type { HandlersOf } from './handler.ts'

export function formulaHandlers(context: FormulasContext): HandlersOf<'reactorFormulas'> {
  return {
    'reactorFormulas.create': async ({ caller, body, receipt }) => ({
      status: 201,
      body: await createFormula(context, caller, body, receipt),
    }),
    'reactorFormulas.list': async ({ caller, query }) => ({
      status: 200,
      body: await listFormulas(context, caller, query),
    }),
    'reactorFormulas.get': async ({ caller, path }) => ({
      status: 200,
      body: await readFormulaById(context, caller, path.id),
    }),
    'reactorFormulas.update': async ({ caller, path, body, receipt }) => ({
      status: 200,
      body: await updateFormula(context, caller, path.id, body, receipt),
    }),
    'reactorFormulas.delete': async ({ caller, path }) => {
      await deleteFormula(context, caller, path.id)
      return { status: 204 }
    },
  }
}
