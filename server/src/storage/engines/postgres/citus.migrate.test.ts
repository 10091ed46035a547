import t from 'tap'
import { nodesOf, queryOn, withCitus } from '../../../../verify/support/citus.ts'
import { newSchema } from '../../../../verify/support/postgres.ts'
import { foundIds, insert, mustCommit, tenantA, tenantB } from '../../port/port.samples.ts'
import { PostgresEngine } from './postgres-engine.ts'
import { migrate, planMigration, schemaVersion } from './schema.ts'
import { createTables, tables } from './sql.ts'

const placing = [...tables.map(name => `distribute ${name} by tenant`), 'copy surrogate_schema to every node']
const ready = { from: schemaVersion, to: schemaVersion, placing: [] }

/** An empty schema, and its URL at each node. */
async function newCluster(t: Parameters<typeof newSchema>[0]) {
  const schema = newSchema(t)
  await schema.create()
  const [coordinator = '', ...workers] = await nodesOf(schema.url)
  return { coordinator, workers, nodes: [coordinator, ...workers] }
}

t.test('a new schema is distributed from the coordinator, and used from all nodes', withCitus, async t => {
  const { coordinator, workers, nodes } = await newCluster(t)
  for (const node of nodes) t.same(await planMigration(node), { from: 0, to: schemaVersion, placing })
  await t.rejects(PostgresEngine.open(coordinator), /has no schema of surrogate-server/)
  const { hostname, port } = new URL(coordinator)
  for (const worker of workers)
    await t.rejects(migrate(worker), new RegExp(`with the URL of the coordinator ${hostname}:${port}$`))
  t.same(await migrate(coordinator), { from: 0, to: schemaVersion, placing })
  for (const node of nodes) {
    t.same(await planMigration(node), ready)
    t.same(await migrate(node), ready)
  }
  const stores = await Promise.all(nodes.map(node => PostgresEngine.open(node)))
  t.teardown(() => Promise.all(stores.map(store => store.close())))
  for (const [id, store] of stores.entries()) await mustCommit(store, [insert(id)])
  for (const store of stores) t.equal((await foundIds(store, { op: 'all' })).length, nodes.length)
})

t.test('servers that make the schema themselves may start together', withCitus, async t => {
  const { coordinator, nodes } = await newCluster(t)
  const stores = await Promise.all(nodes.map(() => PostgresEngine.open(coordinator, { migrate: true })))
  await Promise.all(stores.map((store, id) => mustCommit(store, [insert(id)])))
  await Promise.all(stores.map(store => store.close()))
  for (const node of nodes) t.same(await planMigration(node), ready)
})

t.test('existing data are distributed, also after an interrupted run', withCitus, async t => {
  const { coordinator, workers } = await newCluster(t)
  const run = (text: string) => queryOn<Record<string, unknown>>(coordinator, text)
  // As a database that had no Citus yet, after a migration that was interrupted.
  await run('CREATE TABLE surrogate_schema (version integer PRIMARY KEY, migrated_at timestamptz NOT NULL)')
  for (const statement of [...createTables, 'INSERT INTO surrogate_schema VALUES (1, now())'])
    await run(statement)
  const before = await PostgresEngine.open(coordinator)
  t.teardown(() => before.close())
  const writes = Array.from({ length: 50 }, (_, id) => insert(id, { uniques: [`u${id}`] }))
  await mustCommit(before, writes)
  await mustCommit(before, [insert('other', { tenant: tenantB })])

  await run(`SELECT create_distributed_table('documents', 'tenant', colocate_with => 'none')`)
  await run(`SELECT truncate_local_data_after_distributing_table('documents')`)
  const missing = { ...ready, placing: placing.slice(1) }
  t.same(await planMigration(coordinator), missing)
  await mustCommit(before, [insert('between')])
  t.same(await migrate(coordinator), missing)
  t.same(await migrate(coordinator), ready)

  await mustCommit(before, [insert('after')])
  for (const url of [coordinator, ...workers]) {
    const store = await PostgresEngine.open(url)
    t.teardown(() => store.close())
    t.equal((await foundIds(store, { op: 'all' })).length, 52)
    t.equal((await foundIds(store, { op: 'all' }, {}, { tenant: tenantB })).length, 1)
    const taken = await store.commit([insert('x', { uniques: ['u7'] })], 1)
    t.match(taken, { ok: false, conflict: { reason: 'unique' } })
  }
  for (const name of [...tables, 'surrogate_schema']) {
    const [size] = await run(`SELECT pg_relation_size('${name}')::int AS bytes`)
    t.same(size, { bytes: 0 }, `nothing of ${name} is left on the coordinator`)
  }
})

t.test('the rows of a tenant are on one node, and its statements go there alone', withCitus, async t => {
  const { coordinator } = await newCluster(t)
  await migrate(coordinator)
  const places = await queryOn<{ nodes: number; reaching: number }>(
    coordinator,
    `SELECT count(DISTINCT nodeport)::int AS nodes FROM pg_dist_shard_placement
     WHERE shardid IN (${tables.map(name => `get_shard_id_for_distribution_column('${name}', '${tenantA}')`)})`,
  )
  t.same(places, [{ nodes: 1 }])
  const plan = await queryOn<{ 'QUERY PLAN': string }>(
    coordinator,
    `EXPLAIN SELECT id FROM documents WHERE tenant = '${tenantA}' AND kind = ANY('{107,111}') AND id = ANY('{${tenantB}}')`,
  )
  t.match(plan.map(row => row['QUERY PLAN']).join('\n'), /Task Count: 1\n/)
})
