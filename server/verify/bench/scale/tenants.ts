import { createHash } from 'node:crypto'
import { bootstrap } from '../server-process.ts'

/** Enough that both workers of a cluster have some. */
const count = 16

const uuidOf = (text: string) =>
  createHash('md5')
    .update(text)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')

const tenants = Array.from({ length: count }, (_, n) => ({
  id: uuidOf(`tenant ${n}`),
  key: `key_mgt_scale${String(n).padStart(20, '0')}`,
}))

export const tenantIds = tenants.map(({ id }) => id)

/** The usual tenants of benches, and those of the load tests. */
export const setup = {
  tenants: [
    ...bootstrap.tenants,
    ...tenants.map(({ id, key }, n) => ({
      id,
      name: `Scale ${n}`,
      applications: [
        {
          id: uuidOf(`application ${n}`),
          name: 'Set up',
          type: 'management',
          key,
          permissions: ['application:create'],
        },
      ],
    })),
  ],
}

/** Keys of all tenants of the load tests. */
export interface LoadKeys {
  /** Create tokens. */
  readonly create: readonly string[]
  /** Read tokens, with a rule that masks. */
  readonly 'get masked': readonly string[]
}

/** Makes keys that lead to their own tenant, as those in a deployment do; keys of a bootstrap file do not. */
export async function makeKeys(url: string): Promise<LoadKeys> {
  const make = (permission: string) =>
    Promise.all(
      tenants.map(async ({ key }) => {
        const response = await fetch(`${url}/applications`, {
          method: 'POST',
          headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json' },
          body: JSON.stringify({ name: 'Load', type: 'private', permissions: [permission] }),
        })
        const made = (await response.json()) as { readonly key?: string }
        if (made.key === undefined) throw new Error(`no key was made: status ${response.status}`)
        return made.key
      }),
    )
  return { create: await make('token:create'), 'get masked': await make('token:read') }
}
