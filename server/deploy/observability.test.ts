import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { openTenant, openVault } from '../verify/support/vault.ts'

const folder = fileURLToPath(new URL('./', import.meta.url))
const rules = readFileSync(join(folder, 'prometheus-rules.yaml'), 'utf8')
const dashboard = JSON.parse(readFileSync(join(folder, 'grafana-dashboard.json'), 'utf8'))

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string }[]
}

const panels: readonly Panel[] = dashboard.panels
const alerts: readonly { readonly alert: string; readonly expr: string }[] = parse(rules).groups[0].rules
const variables: readonly { readonly query: string | { readonly query: string } }[] =
  dashboard.templating.list
const expressions = [
  ...alerts.map(({ expr }) => expr),
  ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
]

t.test('alerts and dashboard name metrics and labels that a server has', async t => {
  const vault = openVault(t, { metrics: true, storage: `level:${t.testdir({})}` })
  const { send } = await openTenant(vault)
  await send('GET', '/tokens')
  const { url } = await vault.listenForMetrics()
  const text = await (await fetch(`${url}/metrics`)).text()
  const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name))
  t.ok(known.size > 20)
  const queries = variables.map(({ query }) => (typeof query === 'string' ? query : query.query))
  const used = [...expressions, ...queries].flatMap(
    text => text.match(/\b(surrogate|process|nodejs)_\w+/g) ?? [],
  )
  for (const name of new Set(used)) t.ok(known.has(name.replace(/_bucket$/, '')), name)
  const labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, name]) => name))
  const ofPrometheus = [
    'job',
    'instance',
    'le',
    'lane',
    'outcome',
    'reason',
    'kind',
    'scope',
    'stage',
    'state',
  ]
  for (const expression of expressions)
    for (const [, name = ''] of expression.matchAll(/[{,] ?(\w+)(?:=|!~|=~)/g))
      t.ok(labels.has(name) || ofPrometheus.includes(name), `${name} in ${expression}`)
})

t.test('panels of the dashboard do not overlap, and each has a name of its own', async t => {
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  t.equal(new Set(panels.map(({ title }) => title)).size, panels.length)
  const places = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
  )
  t.equal(new Set(places).size, places.length)
  for (const { gridPos, title } of panels) t.ok(gridPos.x + gridPos.w <= 24, title)
  for (const { type, targets = [], title } of panels) t.equal(targets.length > 0, type !== 'row', title)
})

t.test('promtool accepts the alerts, what raises them, and every expression of the dashboard', async t => {
  const promtool = (...args: string[]) => spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' })
  if (promtool('--version').status !== 0) {
    t.comment('skipped: promtool is not installed (Debian has it in the package prometheus)')
    return
  }
  const accepts = (...args: string[]) => {
    const { status, stdout, stderr } = promtool(...args)
    t.equal(status, 0, `${stdout}${stderr}`)
  }
  accepts('check', 'rules', 'prometheus-rules.yaml')
  accepts('test', 'rules', 'prometheus-rules.cases.yaml')
  const file = join(t.testdir(), 'rules.yaml')
  const plain = (expr: string) => expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, '.*')
  const asRules = (all: readonly string[]) =>
    JSON.stringify({
      groups: [{ name: 'a', rules: all.map((expr, at) => ({ record: `r:${at}`, expr: plain(expr) })) }],
    })
  writeFileSync(file, asRules(expressions))
  accepts('check', 'rules', file)
  writeFileSync(file, asRules(['sum(rate(surrogate_info[5m])']))
  t.not(promtool('check', 'rules', file).status, 0, 'control')
})

t.test('each alert is tested, as raised and as not raised', async t => {
  const tests = parse(readFileSync(join(folder, 'prometheus-rules.cases.yaml'), 'utf8')).tests
  for (const { alert } of alerts) {
    const of = tests.flatMap(
      ({ alert_rule_test: all }: { alert_rule_test: { alertname: string; exp_alerts?: unknown }[] }) =>
        all.filter(({ alertname }) => alertname === alert),
    )
    const found = of.some(({ exp_alerts }: { exp_alerts?: unknown }) => exp_alerts)
    t.ok(found, alert)
    const seen = of.some(({ exp_alerts }: { exp_alerts?: unknown }) => !exp_alerts)
    t.ok(seen, alert)
  }
})
