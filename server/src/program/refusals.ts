import { BootstrapError } from '../access/bootstrap.ts'
import { OperatorError } from '../base/operator-error.ts'

/** Returns one sentence about an error that the operator can correct; `undefined` for any other error. */
export function explain(error: unknown): string | undefined {
  if (error instanceof BootstrapError) return `the bootstrap file is not valid: ${error.message}`
  if (error instanceof OperatorError) return error.program ?? error.message
  return explainSystemError(error as NodeJS.ErrnoException)
}

/** The members of a system error of Node that name a place. */
interface SystemError {
  readonly code?: string | undefined
  readonly syscall?: string | undefined
  readonly port?: number | undefined
  readonly address?: string | undefined
  readonly hostname?: string | undefined
  readonly path?: string | undefined
  readonly message?: string
}

const notHere = ({ hostname, address }: SystemError) =>
  `the host ${hostname ?? address} is not an address of this machine; choose another with --host or --metrics-host`

const isFile = ({ path }: SystemError) =>
  `${path} cannot be made, as the data folder is a file; choose another with --storage`

/** Faults of the operating system that an operator can correct, by their code. */
const faults: Readonly<Record<string, (error: SystemError) => string>> = {
  EADDRINUSE: ({ port }) =>
    `the port ${port} is taken by another process; choose another with --port, or --metrics-port for metrics`,
  EACCES: ({ syscall, port, path }) =>
    syscall === 'listen'
      ? `permission denied for the port ${port}: ports below 1024 need rights of the system; choose another with --port`
      : syscall === 'mkdir'
        ? `permission denied for ${path}: make it for the user that runs the server, or choose another folder with --storage`
        : `permission denied for ${path}: it has to belong to the user that runs the server (chown)`,
  EROFS: ({ path }) => `${path} is on a file system that cannot be written to; choose another with --storage`,
  EEXIST: isFile,
  ENOTDIR: isFile,
  EADDRNOTAVAIL: notHere,
  ENOTFOUND: notHere,
  EAI_AGAIN: notHere,
}

/** Returns one sentence about a system error at the start; `undefined` for an error that is not one. */
export function explainSystemError(error: SystemError): string | undefined {
  const { code = '', syscall, path, message = '' } = error
  const known = faults[code]?.(error)
  if (known !== undefined || syscall === undefined || !/^E[A-Z0-9]+$/.test(code)) return known
  // Node's text is such as "ELOOP: too many symbolic links encountered, stat '/data'".
  const reason = `${/^E\w+: ([^,]+)/.exec(message)?.[1] ?? `${syscall} failed`} (${code})`
  if (path === undefined) return reason
  return syscall === 'mkdir'
    ? `${path} cannot be made: ${reason}; choose another folder with --storage`
    : `${path} cannot be used: ${reason}`
}
