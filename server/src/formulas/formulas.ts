import type { Caller } from '../access/caller.ts'
import type { Page } from '../base/page.ts'
import type { ReactorFormula, ReactorFormulaRequest } from '../contract/types.ts'
import type { Receipt, RecordedEntity } from '../storage/port/transact.ts'
import { existingFormula, type FormulaParts, type FoundFormula, findFormula } from './find.ts'
import { type FormulaQuery, listFormulas, readFormulaById } from './list.ts'
import { createFormula, deleteFormula, updateFormula } from './write-formula.ts'

/** The code that reactors run: of each tenant, official, and shipped with the server. */
export class Formulas {
  readonly #parts: FormulaParts

  constructor(parts: FormulaParts) {
    this.#parts = parts
  }

  create(
    caller: Caller,
    input: ReactorFormulaRequest,
    receipt?: Receipt<RecordedEntity>,
    id?: string,
  ): Promise<ReactorFormula> {
    return createFormula(this.#parts, caller, input, receipt, id)
  }

  list(caller: Caller, query: FormulaQuery): Promise<Page<ReactorFormula>> {
    return listFormulas(this.#parts, caller, query)
  }

  read(caller: Caller, id: string): Promise<ReactorFormula> {
    return readFormulaById(this.#parts, caller, id)
  }

  update(
    caller: Caller,
    id: string,
    input: ReactorFormulaRequest,
    receipt?: Receipt<RecordedEntity>,
  ): Promise<ReactorFormula> {
    return updateFormula(this.#parts, caller, id, input, receipt)
  }

  delete(caller: Caller, id: string): Promise<void> {
    return deleteFormula(this.#parts, caller, id)
  }

  /** Finds the tenant's own or an official formula. */
  find(tenant: string, id: string): Promise<FoundFormula | undefined> {
    return findFormula(this.#parts, tenant, id)
  }

  existing(tenant: string, id: string): Promise<FoundFormula> {
    return existingFormula(this.#parts, tenant, id)
  }
}
