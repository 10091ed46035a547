import type { FormulasContext } from '../../formulas/context.ts'
import { listFormulas, readFormulaById } from '../../formulas/list.ts'
import { createFormula, deleteFormula, updateFormula } from '../../formulas/write.ts'
import { answer, type HandlersOf } from './handler.ts'

export function formulaHandlers(context: FormulasContext): HandlersOf<'reactorFormulas'> {
  return {
    'reactorFormulas.create': ({ caller, body, receipt }) =>
      answer(201, createFormula(context, caller, body, receipt)),
    'reactorFormulas.list': ({ caller, query }) => answer(200, listFormulas(context, caller, query)),
    'reactorFormulas.get': ({ caller, path }) => answer(200, readFormulaById(context, caller, path.id)),
    'reactorFormulas.update': ({ caller, path, body, receipt }) =>
      answer(200, updateFormula(context, caller, path.id, body, receipt)),
    'reactorFormulas.delete': ({ caller, path }) => answer(204, deleteFormula(context, caller, path.id)),
  }
}
