import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** The features that `examples/minimal/` claims. */
export const minimalClaims = ['tokens', 'types', 'access'] as const

/** Starts the server of `examples/minimal/` in a process of its own. Resolves with what the suite needs to know of it. */
export async function startMinimal() {
  const keys = {
    privateKey: 'key_of_the_minimal_server',
    managementKey: 'key_that_manages_applications',
    otherPrivateKey: 'key_of_the_other_tenant',
  }
  const program = fileURLToPath(new URL('../examples/minimal/server.mjs', import.meta.url))
  const child = spawn(process.execPath, [program], {
    env: {
      PRIVATE_KEY: keys.privateKey,
      MANAGEMENT_KEY: keys.managementKey,
      OTHER_PRIVATE_KEY: keys.otherPrivateKey,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const close = async () => {
    child.kill()
    await ended
  }
  return { baseUrl: line.replace('listening on ', ''), ...keys, close }
}
