import type { VaultParts } from '../../src/assembly/vault-parts.ts'
import type { JsonObject, JsonValue } from '../../src/base/json/json.ts'
import type { VaultOptions } from '../../src/options/vault-options.ts'
import type { Vault } from '../../src/vault.ts'
import { openVault, type Reply, type TestTenant } from './vault.ts'

/** Opens a vault that runs formulas. */
export function openReactors(
  t: { teardown(task: () => unknown): void },
  options?: VaultOptions,
  parts?: VaultParts,
): Vault {
  return openVault(t, options, parts)
}

/** A formula that returns its arguments. */
export const echo =
  'module.exports = async req => ({ raw: { args: req.args, configuration: req.configuration } })'

/** Creates a private formula of the tenant. */
export async function makeFormula(tenant: TestTenant, code: string, more: JsonObject = {}) {
  return made(
    await tenant.asManagement('POST', '/reactor-formulas', { name: 'F', type: 'private', code, ...more }),
  )
}

/** Creates a reactor of the tenant on a formula. */
export async function makeReactor(tenant: TestTenant, formula: string, more: JsonObject = {}) {
  const body = { name: 'R', configuration: {}, formula: { id: formula }, ...more }
  return made(await tenant.asManagement('POST', '/reactors', body))
}

/** Settings of a formula and its reactor that differ from the defaults. */
export interface Special {
  readonly formula?: JsonObject
  readonly reactor?: JsonObject
}

export type React = (body?: JsonValue, headers?: Record<string, string>) => Promise<Reply>

/** Creates a reactor on new code. Returns a function that invokes it with the private key. */
export async function reactorOn(
  tenant: TestTenant,
  code: string,
  { formula = {}, reactor = {} }: Special = {},
): Promise<React & { readonly id: string; readonly path: string }> {
  const { id } = await makeReactor(tenant, (await makeFormula(tenant, code, formula)).id, reactor)
  const path = `/reactors/${id}/react`
  const react: React = (body = {}, headers) => tenant.send('POST', path, body, headers)
  return Object.assign(react, { id, path })
}

/** Creates a token of the tenant. Resolves with its id. */
export async function makeToken(tenant: TestTenant, token: JsonObject): Promise<string> {
  return made(await tenant.send('POST', '/tokens', { type: 'token', ...token })).id
}

function made({ status, text, json }: Reply) {
  if (status !== 201) throw new Error(text)
  return json
}
