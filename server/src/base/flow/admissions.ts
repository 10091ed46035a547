import { type AdmissionBounds, type AdmittedKind, admissionBounds } from '../limits.ts'
import { Admission } from './admission.ts'

/** The place that admits work to one server, by kind. */
export type Admissions = Readonly<Record<keyof typeof works, Admission>>

const works = {
  proxied: 'proxied requests',
  fetches: 'requests of formulas',
} as const satisfies Partial<Record<AdmittedKind, string>>

export function createAdmissions(bounds: Partial<AdmissionBounds> = {}): Admissions {
  const all: AdmissionBounds = { ...admissionBounds, ...bounds }
  const entries = Object.entries(works).map(([kind, work]) => [
    kind,
    new Admission(work, all[kind as AdmittedKind]),
  ])
  return Object.fromEntries(entries) as Admissions
}
