import { createRequire } from 'node:module'
import { generatedFiles } from '../generated-files.ts'
import { Backend } from './backend.ts'
import type { Operation } from './contract.ts'
import { toOperation } from './operation.ts'

const require = createRequire(new URL('requests.json', generatedFiles))
const requests = () => require('./requests.json')
const closed = () => require('./closed.json')

/** Returns what `make` returns the first time. */
function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Each is made when it is first needed, and serves all vaults of the process. */
export const backends = {
  /** Stops at the first error: enough for a request that is as it should be. */
  requests: once(() => new Backend(requests(), { thorough: false })),
  /** Finds all errors of a request that is refused. */
  refusals: once(() => new Backend(requests(), { thorough: true })),
  /** Of responses, and of requests to `/_dev`: a member that the contract does not name is an error. */
  closed: once(() => new Backend(closed(), { thorough: true })),
}

const isDev = ({ id }: Operation) => id.startsWith('dev.')

/** Returns every operation of the contract. */
export const readOperations = once((): readonly Operation[] =>
  backends.requests().router.getOperations().map(toOperation),
)

/** Returns the operations of development servers, `/_dev/*`. */
export const readDevOperations = once((): readonly Operation[] =>
  backends.closed().router.getOperations().map(toOperation).filter(isDev),
)
