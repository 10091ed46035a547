import { join } from 'node:path'
import { type Costs, costsOf } from '../load.ts'
import { type Operation, operations } from '../operations.ts'
import { workFolder } from '../processes.ts'
import type { Corpus } from '../search/shapes.ts'
import { bootstrap, privateKey, startServer } from '../server-process.ts'
import { median, ms, printTable } from '../table.ts'
import { idsOf, type Times } from './requests.ts'

const rulesKey = 'key_prv_rules0123456789abcdefghij'

/** An application with as many rules as one may have. */
const withRules = {
  id: '1c9d4e7b-6a25-4f83-90be-7d5a2c4f8e13',
  name: 'Bench, rules',
  type: 'private',
  key: rulesKey,
  rules: Array.from({ length: 100 }, (_, n) => ({
    priority: n + 1,
    container: n === 99 ? '/' : `/r${n}/`,
    transform: 'mask',
    permissions: ['token:read', 'token:search'],
  })),
}

const large = 'x'.repeat(1_000_000)

const create = (body: (n: number) => object): Operation => ({
  key: privateKey,
  request: n => ({ method: 'POST', path: '/tokens', body: JSON.stringify(body(n)) }),
})

const get = operations['get masked']
const list = operations['list page']

interface Variant {
  readonly operation: Operation
  readonly flags?: readonly string[]
  /** Concurrent clients (64). */
  readonly clients?: number
  /** In a folder of its own, beside others of its kind. */
  readonly isLarge?: true
}

/** Each beside the one before it that has no flags and is indented less. */
const variants: Readonly<Record<string, Variant>> = {
  'get masked': { operation: get },
  '  --metrics-port': { operation: get, flags: ['--metrics-port=0'] },
  '  --log-level info': { operation: get, flags: ['--log-level=info'] },
  '  --dev': { operation: get, flags: ['--dev'] },
  'list of 20, 1 rule': { operation: list },
  '  100 rules': { operation: { ...list, key: rulesKey } },
  create: { operation: operations.create },
  '  50 metadata keys': {
    operation: create(n => ({
      type: 'card',
      data: (JSON.parse(operations.create.request(n).body ?? '{}') as { data: object }).data,
      metadata: Object.fromEntries(
        Array.from({ length: 50 }, (_, k) => [`key${k}`, String((n * (k + 1)) % 1000)]),
      ),
    })),
  },
  '  one client alone': { operation: operations.create, clients: 1 },
  'create of 1 MB': {
    operation: create(() => ({ type: 'token', data: large })),
    clients: 4,
    isLarge: true,
  },
  'get of 1 MB': { operation: operations['get revealed'], clients: 4, isLarge: true },
}

/** Measures our own server with what an operator or caller may add. */
export async function measureVariants(
  folder: string,
  corpus: Corpus,
  { rounds, seconds }: Times,
): Promise<void> {
  const [tenant] = bootstrap.tenants
  const tenants = { tenants: [{ ...tenant, applications: [...(tenant?.applications ?? []), withRules] }] }
  const samples = new Map<string, Costs[]>()
  const all = Object.entries(variants)
  const withFlags = all.flatMap(([, { flags }]) => (flags ? [flags] : []))
  for (let round = 0; round < rounds; round++) {
    for (const isLarge of [false, true]) {
      // The one without flags last, as it adds tokens to the folder that all of them serve.
      for (const flags of isLarge ? [[]] : [...withFlags, []]) {
        const server = await startServer(isLarge ? `${folder}-large-${round}` : folder, { tenants, flags })
        const ids = [isLarge ? [] : await idsOf(server, corpus.count)]
        for (const [name, { operation, clients = 64, ...variant }] of all) {
          if ((variant.isLarge ?? false) !== isLarge || variant.flags?.join() !== (flags.join() || undefined))
            continue
          const { key, request } = operation
          const ask = (duration: number) =>
            costsOf(server, { keys: [key], connections: clients, request, seconds: duration, ids })
          await ask(3)
          samples.set(name, [...(samples.get(name) ?? []), await ask(seconds)])
        }
        await server.end()
      }
    }
  }
  let base = ''
  const of = (name: string, figure: 'cpuUs' | 'p50') => samples.get(name)?.map(one => one[figure]) ?? []
  printTable([
    ['variant', 'µs', 'p50 ms', '× without'],
    ...Object.keys(variants).map(name => {
      const isBase = !name.startsWith(' ')
      if (isBase) base = name
      const ratios = of(name, 'cpuUs').map((us, round) => us / (of(base, 'cpuUs')[round] ?? Number.NaN))
      return [
        name,
        median(of(name, 'cpuUs')).toFixed(0),
        ms(median(of(name, 'p50'))),
        isBase ? '' : median(ratios).toFixed(2),
      ]
    }),
  ])
}

/** Starts with 1,003 applications in the bootstrap file, and with four. Returns both times in seconds. */
export async function measureFirstStart(): Promise<{ readonly many: number; readonly few: number }> {
  const [tenant] = bootstrap.tenants
  const more = Array.from({ length: 999 }, (_, n) => ({
    id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    name: `Application ${n}`,
    type: 'private',
    key: `key_prv_many${String(n).padStart(20, '0')}`,
    permissions: ['token:read'],
  }))
  const time = async (tenants: object) => {
    const startedMs = performance.now()
    const server = await startServer(join(workFolder('start'), String(startedMs)), { tenants })
    const seconds = (performance.now() - startedMs) / 1000
    await server.end()
    return seconds
  }
  const many = { tenants: [{ ...tenant, applications: [...(tenant?.applications ?? []), ...more] }] }
  return { few: await time(bootstrap), many: await time(many) }
}
