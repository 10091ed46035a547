import type { Connection } from './connection.ts'

export interface Posted {
  readonly status: number
  readonly text: string
}

/** Sends a JSON request on a connection, and resolves with any response. */
export function post(connection: Connection, key: string, path: string, body: string): Promise<Posted> {
  const head = `POST ${path} HTTP/1.1\r\nHost: bench\r\nSVC-API-KEY: ${key}\r\n`
  const length = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
  return new Promise((resolve, reject) => {
    connection.send(
      // The connection writes latin1, that is, bytes.
      head + length + Buffer.from(body).toString('latin1'),
      (status, answer) => resolve({ status, text: answer.toString() }),
      reject,
    )
  })
}

/** Like `post`, for a request that must succeed. Resolves with the id in the body. */
export async function make(connection: Connection, key: string, path: string, body: object): Promise<string> {
  const { status, text } = await post(connection, key, path, JSON.stringify(body))
  if (status !== 201 && status !== 200) throw new Error(`${path}: status ${status}: ${text}`)
  return (JSON.parse(text) as { id: string }).id
}

/** Creates a formula and a reactor on it. Resolves with the path for invocations. */
export async function makeReactor(connection: Connection, managementKey: string, code: string) {
  const formula = { name: 'Bench', type: 'private', code, configuration: [], request_parameters: [] }
  const id = await make(connection, managementKey, '/reactor-formulas', formula)
  const reactor = { name: 'Bench', configuration: {}, formula: { id } }
  return `/reactors/${await make(connection, managementKey, '/reactors', reactor)}/react`
}
