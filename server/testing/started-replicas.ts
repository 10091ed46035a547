import { type Process, startProcess } from './process.ts'
import { newMasterKey } from './stores.ts'

/** The keys of the tenant that development servers on one database share. */
export interface SharedTenant {
  readonly publicKey: string
  readonly privateKey: string
  readonly managementKey: string
}

/** A server in a process of its own, one of several on a database. */
export interface Replica {
  readonly url: string
  readonly process: Process
  /** Moves its time; resolves when all that fell due by it is done. */
  advance(ms: number): Promise<void>
  health(): Promise<number>
}

export interface StartedReplicas {
  /** Starts one more. @param environment of its process @param storage another way to the database */
  start(environment?: Readonly<Record<string, string>>, storage?: string): Promise<Replica>
  /** Known once the first one has started. */
  tenant(): SharedTenant
}

/** Starts the program as an operator would, several times on one database, with the endpoints that move time. */
export function startReplicas(t: { teardown(task: () => unknown): void }, database: string): StartedReplicas {
  const masterKey = Buffer.from(newMasterKey()).toString('base64')
  let tenant: SharedTenant | undefined
  return {
    start: async (environment = {}, storage = database) => {
      const args = ['--port=0', '--dev', '--allow-private-callbacks']
      const process = startProcess(t, args, {
        SURROGATE_MASTER_KEY: masterKey,
        SURROGATE_STORAGE: storage,
        ...environment,
      })
      const { url } = await process.ready()
      const key = async (name: string) =>
        (await process.printed(new RegExp(`${name} key +(key_\\S+)\n`)))[1] ?? ''
      tenant ??= {
        publicKey: await key('public'),
        privateKey: await key('private'),
        managementKey: await key('management'),
      }
      return {
        url,
        process,
        advance: async ms => {
          const response = await fetch(`${url}/_dev/clock`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ advance_ms: ms }),
          })
          if (response.status !== 200) throw new Error(`the time did not move: ${await response.text()}`)
        },
        health: async () => (await fetch(`${url}/healthz`)).status,
      }
    },
    tenant: () => {
      if (!tenant) throw new Error('no replica was started')
      return tenant
    },
  }
}

/** An asynchronous reactor, made by a server for all of them. @returns its path to invoke it */
export async function makeReactorOver(url: string, key: string, code: string): Promise<string> {
  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (response.status !== 201) throw new Error(await response.text())
    return response.json() as Promise<{ id: string }>
  }
  const formula = await post('/reactor-formulas', { name: 'F', type: 'private', code })
  const { id } = await post('/reactors', { name: 'R', configuration: {}, formula: { id: formula.id } })
  return `/reactors/${id}/react`
}
