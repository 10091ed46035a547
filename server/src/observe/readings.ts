import type { Labels, Prometheus } from './prometheus.ts'

type Counts = Readonly<Record<string, number>>

/** The admitted work of one kind. */
interface Admitted {
  readonly total: number
  readonly limit: number
  /** By the scope that had no room. */
  readonly refused: Counts
}

/** Values that are read when metrics are asked for. */
export interface Readings {
  /** True if the store can be written to. */
  storeWorks(): boolean
  /** Reads the bytes of the disk with the data folder: `free` for the server, and its `size`. */
  readonly disk: (() => { readonly free: number; readonly size: number }) | undefined
  connections(): number
  /** What is admitted, by kind of work. */
  admissions(): Iterable<readonly [kind: string, admission: Admitted]>
  /** Formulas that wait for a process, by lane. */
  formulasWaiting(): Counts
  processes(): {
    readonly alive: number
    readonly started: number
    /** By the reason of the end. */
    readonly ends: Counts
  }
  /** Due jobs of this process, by stage: those not begun, and those that are being worked on. */
  jobs(): Readonly<Record<string, { readonly due: number; readonly running: number }>>
}

export function showReadings({ readGauge, readCounter }: Prometheus, readings: Readings): void {
  const by = (label: string, counts: Counts) =>
    Object.entries(counts).map(([value, count]): [Labels, number] => [{ [label]: value }, count])

  readGauge('surrogate_store_works', '1 if the store can be written to, otherwise 0', [], () => [
    [{}, readings.storeWorks() ? 1 : 0],
  ])
  const { disk } = readings
  if (disk) {
    for (const part of ['free', 'size'] as const) {
      const help = `Disk with the data folder: ${part}`
      readGauge(`surrogate_disk_${part}_bytes`, help, [], () => [[{}, disk()[part]]])
    }
  }
  readGauge('surrogate_connections', 'Open connections', [], () => [[{}, readings.connections()]])
  readGauge('surrogate_admitted', 'Admitted work, or its bytes', ['kind'], () =>
    [...readings.admissions()].map(([kind, { total }]): [Labels, number] => [{ kind }, total]),
  )
  readGauge('surrogate_admission_limit', 'The most that is admitted', ['kind'], () =>
    [...readings.admissions()].map(([kind, { limit }]): [Labels, number] => [{ kind }, limit]),
  )
  readCounter(
    'surrogate_admission_refused_total',
    'Refused work, by the share that was full',
    ['kind', 'scope'],
    () =>
      [...readings.admissions()].flatMap(([kind, { refused }]) =>
        by('scope', refused).map(([scope, count]): [Labels, number] => [{ kind, ...scope }, count]),
      ),
  )
  readGauge('surrogate_formulas_waiting', 'Formulas that wait for a process', ['lane'], () =>
    by('lane', readings.formulasWaiting()),
  )
  readGauge('surrogate_formula_processes', 'Processes of formulas', [], () => [
    [{}, readings.processes().alive],
  ])
  readCounter('surrogate_formula_processes_started_total', 'Processes that were started', [], () => [
    [{}, readings.processes().started],
  ])
  readCounter('surrogate_formula_processes_ended_total', 'Processes that ended, by reason', ['reason'], () =>
    by('reason', readings.processes().ends),
  )
  readGauge('surrogate_jobs', 'Asynchronous invocations that are due', ['stage', 'state'], () =>
    Object.entries(readings.jobs()).flatMap(([stage, states]) =>
      by('state', states).map(([state, count]): [Labels, number] => [{ stage, ...state }, count]),
    ),
  )
}
