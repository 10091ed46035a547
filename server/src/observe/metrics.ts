import type { CountedEvent, EndedRequest, Observer, Work } from '../base/observer.ts'
import { monotonicMs } from '../base/time/real-time.ts'
import { measureProcess } from './process-metrics.ts'
import { createPrometheus } from './prometheus.ts'
import { type Readings, showReadings } from './readings.ts'

/** The metrics of one vault. Their labels have values of fixed sets only. */
export interface Metrics extends Observer {
  readonly contentType: string
  /** Returns all metrics in Prometheus' text format. */
  text(): Promise<string>
  /** Adds values that are read when metrics are asked for. */
  show(readings: Readings): void
  close(): void
}

const works = {
  store: { name: 'surrogate_store_operation', label: 'operation', help: 'Operations of the store' },
  formula: { name: 'surrogate_formula', label: 'lane', help: 'Invocations of formulas' },
  delivery: { name: 'surrogate_webhook_attempt', label: 'kind', help: 'Attempts to deliver webhooks' },
} as const satisfies Record<Work<unknown>['kind'], object>

const events: Readonly<Record<CountedEvent, readonly [name: string, help: string]>> = {
  'job accepted': ['surrogate_jobs_accepted_total', 'Asynchronous invocations that were accepted'],
  'job performed': ['surrogate_jobs_performed_total', 'Asynchronous invocations whose formula has run'],
  'webhook delivered': ['surrogate_webhooks_delivered_total', 'Webhooks that a receiver took'],
  'webhook given up': ['surrogate_webhooks_given_up_total', 'Webhooks that will not be retried'],
}

/** @param info labels of the metric `surrogate_info`, such as the version */
export async function createMetrics(info: Readonly<Record<string, string>>): Promise<Metrics> {
  const prometheus = await createPrometheus()
  const { counter, gauge, histogram, readGauge } = prometheus
  readGauge('surrogate_info', 'Always 1', Object.keys(info), () => [[info, 1]])
  const requests = counter('surrogate_requests_total', 'Responses to requests', ['operation', 'status'])
  const requestSeconds = histogram(
    'surrogate_request_duration_seconds',
    'Time from the headers of a request until its response can be sent',
    'operation',
  )
  const inFlight = gauge('surrogate_requests_in_flight', 'Requests without a response')
  const workMetrics = mapValues(works, ({ name, label, help }) => ({
    label,
    count: counter(`${name}s_total`, help, [label, 'outcome']),
    measure: histogram(`${name}_duration_seconds`, `${help}: time taken, waits included`, label),
  }))
  const eventCounters = mapValues(events, ([name, help]) => counter(name, help))
  const process = measureProcess(prometheus)

  return {
    contentType: prometheus.contentType,
    text: () => prometheus.text(),
    close: () => process.close(),
    show: readings => showReadings(prometheus, readings),
    request: () => {
      const begunMs = monotonicMs()
      inFlight.add(1)
      return {
        perform: (_operation, _caller, perform) => perform(),
        end: ended => {
          inFlight.add(-1)
          const operation = ended.operation?.id ?? 'none'
          requests({ operation, status: statusOf(ended) })
          requestSeconds({ operation }, secondsSince(begunMs))
        },
      }
    },
    run: async (work, perform) => {
      const begunMs = monotonicMs()
      const { label, count, measure } = workMetrics[work.kind]
      let outcome = 'error'
      try {
        const result = await perform()
        outcome = work.outcomeOf(result)
        return result
      } finally {
        count({ [label]: work.name, outcome })
        measure({ [label]: work.name }, secondsSince(begunMs))
      }
    },
    count: event => eventCounters[event](),
  }
}

const secondsSince = (begunMs: number) => (monotonicMs() - begunMs) / 1000

/** Statuses that a formula chose are counted by their class, as they can be any number. */
function statusOf({ operation, status }: EndedRequest): string {
  const isKnown = !operation || operation.statuses.includes(String(status))
  return isKnown ? String(status) : `${Math.floor(status / 100)}xx`
}

function mapValues<K extends string, A, B>(
  record: Readonly<Record<K, A>>,
  map: (value: A) => B,
): Record<K, B> {
  const entries = Object.entries<A>(record).map(([key, value]) => [key, map(value)])
  return Object.fromEntries(entries) as Record<K, B>
}
