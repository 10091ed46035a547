export interface Labels {
  readonly [name: string]: string
}

/** A metric whose value is read when metrics are asked for. */
type Read = () => Iterable<readonly [labels: Labels, value: number]>

/** Makes metrics, and shows them in Prometheus' text format. */
export interface Prometheus {
  readonly contentType: string
  text(): Promise<string>
  counter(name: string, help: string, labels?: readonly string[]): (labels?: Labels) => void
  gauge(name: string, help: string): { add(value: number): void }
  histogram(name: string, help: string, label: string): (labels: Labels, seconds: number) => void
  readGauge(name: string, help: string, labels: readonly string[], read: Read): void
  /** For values that only grow. */
  readCounter(name: string, help: string, labels: readonly string[], read: Read): void
}

/** In seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

/** Loads the library: only a server that shows metrics pays for it. */
export async function createPrometheus(): Promise<Prometheus> {
  const { Counter, Gauge, Histogram, Registry } = await import('prom-client')
  const registry = new Registry()
  const registers = [registry]
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    counter: (name, help, labelNames = []) => {
      const counter = new Counter<string>({ name, help, labelNames, registers })
      return labels => (labels ? counter.inc(labels) : counter.inc())
    },
    gauge: (name, help) => {
      const gauge = new Gauge({ name, help, registers })
      return { add: value => gauge.inc(value) }
    },
    histogram: (name, help, label) => {
      const histogram = new Histogram<string>({ name, help, labelNames: [label], buckets, registers })
      return (labels, seconds) => histogram.observe(labels, seconds)
    },
    readGauge: (name, help, labelNames, read) => {
      const gauge = new Gauge<string>({
        name,
        help,
        labelNames,
        registers,
        collect: () => {
          gauge.reset()
          for (const [labels, value] of read()) gauge.set(labels, value)
        },
      })
    },
    readCounter: (name, help, labelNames, read) => {
      const counter = new Counter<string>({
        name,
        help,
        labelNames,
        registers,
        collect: () => {
          counter.reset()
          for (const [labels, value] of read()) counter.inc(labels, value)
        },
      })
    },
  }
}
