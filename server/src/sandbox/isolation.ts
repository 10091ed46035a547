import { OperatorError } from '../base/operator-error.ts'

/** The layers that hold a process of the sandbox, apart from its compartment. A host may lack some. */
export interface Isolation {
  /** Node's permission model: no files, no processes, no workers, no native code. */
  readonly permissionModel: boolean
  /** No code is compiled at run time, and no memory is both writable and executable. */
  readonly jitless: boolean
  /** A user of its own, a user namespace (still the server's user to the system), or the server's user. */
  readonly user: 'own' | 'namespace' | 'server'
  /**
   * What a process can open that got past the permission model: nothing but Node and its libraries, what every
   * user of the host may read, or all that the server may.
   */
  readonly files: 'none' | 'public' | 'server'
  /** True if a process cannot signal or trace any process of the server or of another tenant. */
  readonly signalsNobody: boolean
  /** A namespace without any network, or the server's network. */
  readonly network: 'none' | 'server'
  /** Limits of the operating system on memory, processor time, files and core dumps. */
  readonly resourceLimits: boolean
  /** When memory is short, the system ends this process before the server. */
  readonly endsFirst: boolean
  /** Ends with the server, however that ends. */
  readonly endsWithServer: boolean
  /** No program that it starts can gain rights. */
  readonly noNewPrivileges: boolean
}

/** Thrown at the start of a server that requires layers which this host does not have. */
export class IsolationMissing extends OperatorError {
  override readonly name = 'IsolationMissing'
}

/** True for a layer that holds, by the name that operators read. */
function layersOf(isolation: Isolation): readonly (readonly [name: string, holds: boolean])[] {
  return [
    ['the permission model', isolation.permissionModel],
    ['an interpreter only', isolation.jitless],
    [isolation.user === 'namespace' ? 'a user namespace' : 'a user of its own', isolation.user !== 'server'],
    ['no files', isolation.files === 'none'],
    ['no signals to other processes', isolation.signalsNobody],
    ['no network', isolation.network === 'none'],
    ['no new privileges', isolation.noNewPrivileges],
    ['resource limits', isolation.resourceLimits],
    ['an end before the server when memory is short', isolation.endsFirst],
    ['an end with the server', isolation.endsWithServer],
  ]
}

/** The names of the layers that this host does not have. */
export function missingLayers(isolation: Isolation): string[] {
  return layersOf(isolation)
    .filter(([, holds]) => !holds)
    .map(([name]) => name)
}

/** A line for the operator: which layers hold the processes of formulas, and which are missing. */
export function describeIsolation(isolation: Isolation | 'none'): string {
  if (isolation === 'none') return 'formulas cannot run: no process can be started'
  const holding = layersOf(isolation)
    .filter(([, holds]) => holds)
    .map(([name]) => name)
  const missing = missingLayers(isolation)
  const without = missing.length === 0 ? '' : `; without: ${missing.join(', ')}`
  return `formulas run in processes with: ${holding.join(', ')}${without}`
}

/** @throws {IsolationMissing} naming every layer that is missing */
export function requireIsolation(isolation: Isolation | 'none'): void {
  if (isolation === 'none') throw new IsolationMissing(describeIsolation(isolation))
  const missing = missingLayers(isolation)
  if (missing.length === 0) return
  throw new IsolationMissing(
    `--require-isolation: this host lacks layers that hold the processes of formulas: ${missing.join(', ')}`,
  )
}
