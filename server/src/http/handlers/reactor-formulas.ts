import type { FormulasContext } from '../../formulas/context.ts'
import { createFormula } from '../../formulas/create.ts'
import { deleteFormula } from '../../formulas/delete.ts'
import type { FormulaInput } from '../../formulas/formula.ts'
import { listFormulas, readFormulaById } from '../../formulas/list.ts'
import { updateFormula } from '../../formulas/update.ts'
import type { Handlers, Replay, Replays } from './handler.ts'
import { pageOf, pathId, textOf } from './shapes.ts'

export function formulaHandlers(context: FormulasContext): Handlers {
  return {
    'reactorFormulas.create': async ({ caller, body, receipt }) => ({
      status: 201,
      body: await createFormula(
        context,
        caller,
        body as unknown as FormulaInput,
        receipt && (id => receipt({ status: 201, entity: id })),
      ),
    }),
    'reactorFormulas.list': async ({ caller, query }) => ({
      status: 200,
      body: await listFormulas(context, caller, { ...pageOf(query), ...textOf('name', query) }),
    }),
    'reactorFormulas.get': async ({ caller, path }) => ({
      status: 200,
      body: await readFormulaById(context, caller, pathId(path)),
    }),
    'reactorFormulas.update': async ({ caller, path, body, receipt }) => {
      const id = pathId(path)
      const formula = await updateFormula(
        context,
        caller,
        id,
        body as unknown as FormulaInput,
        receipt && (() => receipt({ status: 200, entity: id })),
      )
      return { status: 200, body: formula }
    },
    'reactorFormulas.delete': async ({ caller, path }) => {
      await deleteFormula(context, caller, pathId(path))
      return { status: 204 }
    },
  }
}

export function formulaReplays(context: FormulasContext): Replays {
  const again: Replay = async ({ caller }, { status, entity = '' }) => ({
    status,
    body: await readFormulaById(context, caller, entity),
  })
  return { 'reactorFormulas.create': again, 'reactorFormulas.update': again }
}
