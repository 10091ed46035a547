import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openVault, sender } from '../../../verify/support/vault.ts'
import { createVaultWith } from '../../vault.ts'
import { openSandbox } from '../_fixture.ts'
import { findNode, NodeMissing } from './find-node.ts'

const skip = process.platform === 'win32' ? { skip: 'Windows has no such scripts' } : {}
const bun = { bun: '1.3.0', node: '24.3.0' }

/** Makes a folder with a program `node` that prints this. */
function folderWith(t: Test, name: string, printed: string): string {
  const folder = join(t.testdirName, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'node'), `#!/bin/sh\necho ${printed}\n`)
  chmodSync(join(folder, 'node'), 0o755)
  return folder
}

t.test('under Node, formulas run in the same program', async t => {
  t.same(await findNode(), { path: process.execPath, version: process.versions.node })
  t.same(await findNode({ node: '22.0.0' }, '/nowhere'), { path: process.execPath, version: '22.0.0' })
})

t.test('under Bun and Deno, they run in the Node of the PATH', skip, async t => {
  t.testdir({})
  const good = folderWith(t, 'good', 'v20.19.0')
  for (const versions of [bun, { deno: '2.0.0', node: '22.0.0' }]) {
    t.same(await findNode(versions, `relative:${good}`), { path: join(good, 'node'), version: '20.19.0' })
  }
})

t.test('without one, or with one that is too old, one sentence says so', skip, async t => {
  t.testdir({})
  const old = folderWith(t, 'old', 'v20.18.3')
  const other = folderWith(t, 'other', 'hello')
  for (const path of ['', '/nowhere', old, other]) {
    await t.rejects(findNode(bun, path), {
      name: 'NodeMissing',
      message: /^formulas cannot run: under Bun they need Node 20\.19 or later, .+; everything else works$/,
    })
  }
  await t.rejects(findNode({ deno: '2.0.0' }, ''), { message: /under Deno/ })
})

t.test('a vault without Node works, warns at its start, and fails formulas with the reason', async t => {
  const reason = 'formulas cannot run: there is no Node'
  const warnings: string[] = []
  const log = { info() {}, error() {}, warn: (event: string) => void warnings.push(event) }
  const sandboxParts = { findNode: async () => Promise.reject(new NodeMissing(reason)) }
  const vault = createVaultWith({ sandboxParts }, { log })
  t.teardown(() => vault.close())
  const { privateKey } = await vault.createTenant()
  t.same(warnings, [reason])
  t.equal((await sender(vault, privateKey)('GET', '/tokens')).status, 200)
  const sandbox = openSandbox(t, {}, sandboxParts)
  const outcome = await sandbox.formula('module.exports = () => ({ raw: 1 })')
  t.same(outcome, { kind: 'failed', reason: 'crash', detail: reason })

  const before = warnings.length
  await openVault(t, { log }).ready()
  t.equal(warnings.length, before, 'control: with Node there is no warning')
})
