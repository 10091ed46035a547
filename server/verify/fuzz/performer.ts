import { encode, type FuzzCase, type Values } from './case.ts'
import { type FuzzConnection, NoResponse } from './connection.ts'
import { type Found, type Judge, readJson } from './judge.ts'

export interface Performed {
  /** The status of the request; `undefined` without a response. */
  readonly status: number | undefined
  readonly found: readonly Found[]
  /** True if the server exceeded the time limit; it may still be busy. */
  readonly timedOut: boolean
}

/** Longer than the time limit of formulas. */
const timeoutMs = 30_000
/** For incomplete requests: the server may wait for the rest. */
const hangUpMs = 100

/** Sends the requests of a case over a connection and checks every response. */
export async function perform(
  one: FuzzCase,
  connection: FuzzConnection,
  judge: Judge,
  prepared: Values,
): Promise<Performed> {
  const values = new Map(prepared)
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
  throw new Error('the case has no request')
}

/** Closes the connection after a malformed request, whose rest must not begin the next one. */
function finished(
  one: FuzzCase,
  connection: FuzzConnection,
  found: readonly Found[],
  outcome: Omit<Performed, 'found'>,
): Performed {
  if (one.mayHangUp) connection.close()
  return { ...outcome, found }
}

/** Stores the texts of a response for placeholders such as `@@0.id@@`. */
function keep(values: Map<string, string>, step: number, body: string): void {
  for (const [name, value] of Object.entries(readJson(body) ?? {})) {
    if (typeof value === 'string') values.set(`${step}.${name}`, value)
  }
}
