import type { LogLevel } from '../base/log.ts'
import { booleanFlag, type Flag, textFlag } from './flag.ts'
import * as schemas from './schemas.ts'
import { type Option, options } from './table.ts'

/** Settings of the program alone. */
export interface ProgramOptions {
  readonly host: string
  readonly port: number
  readonly logLevel: LogLevel
  /** Absent if metrics are not kept. */
  readonly metricsPort?: number
  readonly metricsHost: string
  readonly drainSeconds: number
  readonly readyFile?: string
  readonly json?: boolean
  readonly help?: boolean
  readonly version?: boolean
}

type ProgramTable = { readonly [Name in keyof ProgramOptions]-?: Option & { readonly flag: Flag } }

export const helpFlag = booleanFlag('help', 'print this help and exit')
const port = schemas.whole(0, 65_535)

/** Settings of the program. Help shows the first two before those of the vault. */
export const programOptions: ProgramTable = {
  host: { schema: schemas.host, flag: textFlag('host', 'HOST', 'address to listen on', '127.0.0.1') },
  port: { schema: port, flag: textFlag('port', 'PORT', 'port to listen on; 0 picks a free one', '4000') },
  logLevel: {
    schema: schemas.logLevel,
    flag: textFlag('log-level', 'LEVEL', 'error, warn or info; info has a line for each request', 'warn'),
  },
  metricsPort: {
    schema: port,
    flag: textFlag(
      'metrics-port',
      'PORT',
      'port for /metrics; keep it from strangers, as it asks for no key',
    ),
  },
  metricsHost: {
    schema: schemas.host,
    flag: textFlag('metrics-host', 'HOST', 'address of that port', '127.0.0.1'),
  },
  drainSeconds: {
    schema: schemas.whole(0, 3600),
    flag: textFlag('drain-seconds', 'N', 'time between a signal and the end of listening', '0'),
  },
  readyFile: {
    schema: schemas.path,
    flag: textFlag('ready-file', 'FILE', 'when ready, write address, keys and process id as JSON'),
  },
  json: { schema: schemas.boolean, flag: booleanFlag('json', 'print the ready line as JSON') },
  help: { schema: schemas.boolean, flag: helpFlag },
  version: { schema: schemas.boolean, flag: booleanFlag('version', 'print the version and exit') },
}

const flagsOf = (table: Readonly<Record<string, Option>>) =>
  Object.values(table).flatMap(({ flag }) => flag ?? [])
const [hostFlag, portFlag, ...others] = flagsOf(programOptions)

/** All flags and their defaults. Each is also an environment variable `SURROGATE_<NAME>`. */
export const flags: readonly Flag[] = [hostFlag, portFlag, flagsOf(options), others].flatMap(
  flag => flag ?? [],
)
