import type { Connection } from './connection.ts'

export interface Posted {
  readonly status: number
  readonly text: string
}

/** One JSON request on a connection, whatever is answered. */
export function post(connection: Connection, key: string, path: string, body: string): Promise<Posted> {
  const head = `POST ${path} HTTP/1.1\r\nHost: bench\r\nSVC-API-KEY: ${key}\r\n`
  const length = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
  return new Promise((resolve, reject) => {
    connection.send(
      // A connection writes latin1: the bytes as they are.
      head + length + Buffer.from(body).toString('latin1'),
      (status, answer) => resolve({ status, text: answer.toString() }),
      reject,
    )
  })
}

/** The same for what must succeed: answers the id in the body. */
export async function make(connection: Connection, key: string, path: string, body: object): Promise<string> {
  const { status, text } = await post(connection, key, path, JSON.stringify(body))
  if (status !== 201 && status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
  return (JSON.parse(text) as { id: string }).id
}

/** A formula of the tenant and a reactor on it; answers where it is invoked. */
export async function makeReactor(connection: Connection, managementKey: string, code: string) {
  const formula = { name: 'Bench', type: 'private', code, configuration: [], request_parameters: [] }
  const id = await make(connection, managementKey, '/reactor-formulas', formula)
  const reactor = { name: 'Bench', configuration: {}, formula: { id } }
  return `/reactors/${await make(connection, managementKey, '/reactors', reactor)}/react`
}
