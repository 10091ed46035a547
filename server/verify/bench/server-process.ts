import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { programArguments } from '../support/process.ts'
import { type Started, start } from './processes.ts'

/** Has all token permissions, with a rule that reveals. */
export const privateKey = 'key_prv_0123456789abcdefghijklmn'

/** Reads with a rule that masks, which writes nothing to the audit log. */
export const maskingKey = 'key_prv_masked0123456789abcdefgh'

/** Searches with a rule that masks, in one container and below. */
export const restrictedKey = 'key_prv_restricted0123456789abcd'

/** Creates formulas and reactors. */
export const managementKey = 'key_mgt_0123456789abcdefghijklmn'

export const bootstrap = {
  tenants: [
    {
      id: '6f2d8a5e-3b1c-4f7a-9d0e-5c4b3a291807',
      name: 'Bench',
      applications: [
        {
          id: '0b9c7d2e-8f41-4a63-b5d7-1e2f3a4b5c6d',
          name: 'Bench',
          type: 'private',
          key: privateKey,
          rules: [
            {
              description: 'everything, in clear',
              priority: 1,
              container: '/',
              transform: 'reveal',
              permissions: [
                'token:create',
                'token:read',
                'token:search',
                'token:update',
                'token:delete',
                'token:use',
              ],
            },
          ],
        },
        {
          id: '3d1f5a77-9c2e-4b08-a6d4-70e1b2c3d4e5',
          name: 'Bench, masked',
          type: 'private',
          key: maskingKey,
          permissions: ['token:read', 'token:search'],
        },
        {
          id: '7c4e1b2a-5d3f-4a86-9b70-2f8d6c1e0a34',
          name: 'Bench, set up',
          type: 'management',
          key: managementKey,
          permissions: ['reactor:create'],
        },
        {
          id: '5a7e3c19-2d4b-4f60-8e91-b3c2d1e0f9a8',
          name: 'Bench, restricted',
          type: 'private',
          key: restrictedKey,
          rules: [{ priority: 1, container: '/g3/', transform: 'mask', permissions: ['token:search'] }],
        },
      ],
    },
  ],
}

/** Any 32 bytes, but the same at every start on a folder. */
export const masterKey = Buffer.alloc(32, 'bench').toString('base64')

const repository = fileURLToPath(new URL('../../..', import.meta.url))

/** True if the packages are built. */
export const isBuilt = existsSync(join(repository, 'server/dist/main.js'))

/** Returns arguments that run the server. Without a build, runs the sources: the same server, which starts more slowly. */
export const serverProgram = (root = repository) =>
  isBuilt || root !== repository ? [join(root, 'server/bin/surrogate-server.js')] : programArguments()

interface ServerOptions {
  /** Default: LevelDB in the folder. */
  readonly storage?: string
  readonly tenants?: object
  /** Further flags. */
  readonly flags?: readonly string[]
  /** Flags of Node. */
  readonly node?: readonly string[]
  /** The root of another built copy of this repository, to run its server. */
  readonly root?: string | undefined
}

/** Starts our server in production mode, with its data in this folder or at `storage`. */
export async function startServer(folder: string, given: ServerOptions = {}): Promise<Started> {
  const { storage = `level:${join(folder, 'data')}`, tenants = bootstrap, root = repository } = given
  const { flags = [], node = [] } = given
  const setup = join(folder, 'bootstrap.json')
  await mkdir(folder, { recursive: true })
  await writeFile(setup, JSON.stringify(tenants), { mode: 0o600 })
  return start({
    args: [
      ...node,
      ...serverProgram(root),
      '--port=0',
      `--storage=${storage}`,
      `--bootstrap=${setup}`,
      ...flags,
    ],
    env: { SURROGATE_MASTER_KEY: masterKey },
    isQuiet: flags.includes('--log-level=info'),
  })
}
