import { encode, type FuzzCase, type Values } from './case.ts'
import { type FuzzConnection, NoResponse } from './connection.ts'
import { type Found, type Judge, readJson } from './judge.ts'

export interface Performed {
  /** Of the request itself; `undefined` if there was no response. */
  readonly status: number | undefined
  readonly found: readonly Found[]
  /** True if the server took longer than any request may: it may well be busy for much longer. */
  readonly timedOut: boolean
}

/** Longer than any formula may run. */
const timeoutMs = 30_000
/** For what is no whole request: the server may go on waiting for the rest of it. */
const hangUpMs = 100

/** Sends a case, and what comes before it, over a connection and judges every response. */
export async function perform(
  one: FuzzCase,
  connection: FuzzConnection,
  judge: Judge,
  furnished: Values,
): Promise<Performed> {
  const values = new Map(furnished)
  const found: Found[] = []
  for (const [step, request] of [...one.prelude, one.request].entries()) {
    const isMain = step === one.prelude.length
    const bytes = encode(request, values, `fuzz-${one.number}-${step}`)
    try {
      const hasTime = !(isMain && one.mayHangUp)
      const response = await connection.exchange(
        bytes,
        hasTime ? timeoutMs : hangUpMs,
        request.method === 'HEAD',
      )
      found.push(...judge.faultsOf(one, request, response, isMain))
      if (isMain) return finished(one, connection, found, { status: response.status, timedOut: false })
      keep(values, step, response.body)
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error
      const isFault = !(isMain && one.mayHangUp)
      if (isFault) found.push({ fault: 'no response', what: error.message })
      return finished(one, connection, found, { status: undefined, timedOut: isFault && error.timedOut })
    }
  }
  throw new Error('a case without a request')
}

/** What is left of a malformed request must not become the beginning of the next one. */
function finished(
  one: FuzzCase,
  connection: FuzzConnection,
  found: readonly Found[],
  outcome: Omit<Performed, 'found'>,
): Performed {
  if (one.mayHangUp) connection.close()
  return { ...outcome, found }
}

/** Keeps the texts of a response for placeholders such as `@@0.id@@`. */
function keep(values: Map<string, string>, step: number, body: string): void {
  for (const [name, value] of Object.entries(readJson(body) ?? {})) {
    if (typeof value === 'string') values.set(`${step}.${name}`, value)
  }
}
