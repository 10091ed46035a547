import { type Lie, pretends } from '../tell.ts'

/** A private formula is read by other tenants. */
export const lie: Lie = {
  turns: ['FOR-017.a'],
  tell: pretends('GET', /^\/reactor-formulas/, [404], target => [target.managementKey]),
}
