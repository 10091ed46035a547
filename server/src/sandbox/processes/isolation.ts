import { OperatorError } from '../../base/operator-error.ts'

/** The layers that isolate a process of the sandbox, besides its compartment. A host may lack some. */
export interface Isolation {
  /** Node's permission model: no files, no processes, no workers, no native code. */
  readonly permissionModel: boolean
  /** No code is compiled at run time, and no memory is both writable and executable. */
  readonly jitless: boolean
  /** A separate user, a user namespace (outside of it still the server's user), or the server's user. */
  readonly user: 'own' | 'namespace' | 'server'
  /**
   * The files that a process could open without the permission model: only Node and its libraries, files that every
   * user of the host may read, or all files of the server.
   */
  readonly files: 'none' | 'public' | 'server'
  /** True if a process cannot signal or trace processes of the server or of other tenants. */
  readonly signalsNobody: boolean
  /** A network namespace without interfaces, or the server's network. */
  readonly network: 'none' | 'server'
  /** Limits of the operating system on memory, processor time, files and core dumps. */
  readonly resourceLimits: boolean
  /** When memory is short, the system ends this process before the server. */
  readonly endsFirst: boolean
  /** The process ends when the server ends, for whatever reason. */
  readonly endsWithServer: boolean
  /** Programs that it starts cannot gain rights. */
  readonly noNewPrivileges: boolean
}

/** Thrown when a server that requires all layers starts on a host that lacks some. */
export class IsolationMissing extends OperatorError {
  override readonly name = 'IsolationMissing'
}

/** Returns the layers by the names that operators see; `holds` is true if the host has the layer. */
function layersOf(isolation: Isolation): readonly (readonly [name: string, holds: boolean])[] {
  return [
    ['the permission model', isolation.permissionModel],
    ['interpreted code only', isolation.jitless],
    [isolation.user === 'namespace' ? 'a user namespace' : 'a separate user', isolation.user !== 'server'],
    ['no files', isolation.files === 'none'],
    ['no signals to other processes', isolation.signalsNobody],
    ['no network', isolation.network === 'none'],
    ['no new privileges', isolation.noNewPrivileges],
    ['resource limits', isolation.resourceLimits],
    ['ending before the server when memory is short', isolation.endsFirst],
    ['ending with the server', isolation.endsWithServer],
  ]
}

/** Returns the names of the layers that this host lacks. */
export function missingLayers(isolation: Isolation): string[] {
  return layersOf(isolation)
    .filter(([, holds]) => !holds)
    .map(([name]) => name)
}

/** Returns a line for the operator: the layers that isolate formulas, and those that are missing. */
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
  const lacks = `this host lacks layers that isolate formulas: ${missing.join(', ')}`
  throw new IsolationMissing(`requireIsolation: ${lacks}`, { program: `--require-isolation: ${lacks}` })
}
