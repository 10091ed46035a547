import type { Row } from './row.ts'

const [width, height, margin] = [360, 220, 46]
const colors = ['#2f6fc9', '#c2571a', '#2e8540', '#8a4bb8', '#b3263a', '#6b7280']

const names: Readonly<Record<string, string>> = { level: 'LevelDB', postgres: 'PostgreSQL', citus: 'Citus' }

interface Series {
  readonly name: string
  readonly values: readonly number[]
}

/** Draws creates a second, times and memory by the number of tokens, as SVG. Both axes are logarithmic. */
export function drawGrowth(rows: readonly Row[], engine: string): string {
  const sizes = rows.map(({ size }) => size)
  const measured = Object.keys(rows[0]?.reads?.times ?? {})
  const median = (name: string) => ({ name, values: rows.map(({ reads }) => reads?.times[name]?.p50 ?? 0) })
  const of = (name: string, value: (row: Row) => number) => ({ name, values: rows.map(value) })
  const reads = ['get again', 'first page', 'last page', 'update', 'delete'].filter(name =>
    measured.includes(name),
  )
  const searches = measured.slice(measured.indexOf('last page') + 1, measured.indexOf('update'))
  const charts = [
    chart('creates a second', sizes, [of('creates', ({ creates }) => creates?.perSecond ?? 0)]),
    chart('single requests, p50 in ms', sizes, reads.map(median)),
    chart('searches, p50 in ms', sizes, searches.map(median)),
    chart('memory in MB, without mapped files', sizes, [
      of('after a start', ({ reads }) => reads?.started.ownMiB ?? 0),
      of('after creates', ({ creates }) => creates?.filled.ownMiB ?? 0),
      of('after reads', ({ reads }) => reads?.done.ownMiB ?? 0),
    ]),
  ]
  const placed = charts.map(
    (drawn, at) =>
      `<g transform="translate(${(at % 2) * width} ${30 + Math.floor(at / 2) * height})">${drawn}</g>`,
  )
  const title = `Growth on ${names[engine]}, by the number of tokens`
  const whole = [2 * width, 30 + 2 * height]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${whole.join(' ')}" font-family="sans-serif" font-size="10">
<title>${title}</title>
<rect width="100%" height="100%" fill="#fff"/>
<text x="${margin}" y="20" font-size="14">${title}</text>
${placed.join('\n')}
</svg>
`
}

function chart(title: string, sizes: readonly number[], series: readonly Series[]): string {
  const log = Math.log10
  const values = series.flatMap(one => one.values).filter(value => value > 0)
  const [bottom, top] = [Math.floor(log(Math.min(...values))), Math.ceil(log(Math.max(...values)))]
  const [first, last] = [log(sizes[0] ?? 1), log(sizes.at(-1) ?? 1)]
  const x = (size: number) => margin + ((log(size) - first) / (last - first || 1)) * (width - margin - 20)
  const y = (value: number) =>
    height - 30 - ((log(value) - bottom) / (top - bottom || 1)) * (height - 60 - 10 * series.length)
  const powers = Array.from({ length: top - bottom + 1 }, (_, at) => 10 ** (bottom + at))
  const lines = powers.map(
    power =>
      `<line x1="${margin}" x2="${width - 20}" y1="${y(power)}" y2="${y(power)}" stroke="#ddd"/><text x="${margin - 4}" y="${y(power) + 3}" text-anchor="end">${shown(power)}</text>`,
  )
  const ticks = sizes.map(
    size => `<text x="${x(size)}" y="${height - 16}" text-anchor="middle">${shown(size)}</text>`,
  )
  const drawn = series.map(({ name, values }, at) => {
    const points = values.map((value, row) => `${x(sizes[row] ?? 1)},${y(value)}`)
    const color = colors[at % colors.length]
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${color}" stroke-width="2"/><text x="${margin}" y="${26 + 10 * at}" fill="${color}">${name}</text>`
  })
  return [`<text x="${margin}" y="14" font-weight="bold">${title}</text>`, ...lines, ...ticks, ...drawn].join(
    '',
  )
}

const shown = (value: number) =>
  value >= 1e6 ? `${value / 1e6}M` : value >= 1e3 ? `${value / 1e3}k` : String(Number(value.toPrecision(2)))
