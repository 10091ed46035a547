import type { Context } from '../../harness/context.ts'

interface Resource {
  /** Its type in entries of the log. */
  readonly entity: string
  readonly path: string
  make(c: Context): Promise<{ readonly id: string }>
  /** The method and the body of an update. */
  readonly method: 'PATCH' | 'PUT'
  body(c: Context): Record<string, unknown>
}

export type ResourceName = 'token' | 'formula' | 'reactor' | 'application'

/** What callers make and change. */
export const resources: Readonly<Record<ResourceName, Resource>> = {
  token: {
    entity: 'token',
    path: '/tokens',
    make: c => c.token(),
    method: 'PATCH',
    body: () => ({ metadata: { a: 'b' } }),
  },
  formula: {
    entity: 'reactor_formula',
    path: '/reactor-formulas',
    make: c => c.formula(),
    method: 'PUT',
    body: c => ({ name: c.tag, type: 'private', code: 'c', configuration: [], request_parameters: [] }),
  },
  reactor: {
    entity: 'reactor',
    path: '/reactors',
    make: c => c.reactor(),
    method: 'PUT',
    body: c => ({ name: c.tag, configuration: {} }),
  },
  application: {
    entity: 'application',
    path: '/applications',
    make: c => c.application({ permissions: ['token:read'] }),
    method: 'PUT',
    body: c => ({ name: c.tag, permissions: ['token:read'] }),
  },
}
