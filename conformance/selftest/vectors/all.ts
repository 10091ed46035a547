import { readPackageFile } from '../../src/files.ts'
import type { Case } from '../../src/harness/case.ts'
import { NotSupported } from '../../src/harness/finding.ts'
import { readRequirements } from '../../src/harness/requirements.ts'
import { byFetch, type Fetch } from '../../src/harness/transport.ts'
import { cases } from '../../src/run.ts'
import { openReference } from '../_reference.ts'
import { NotData, type Vector, vectorOf } from './vector.ts'

/** The content of `vectors.json`. */
interface Vectors {
  readonly $schema: string
  /** Version of the suite. */
  readonly suite: string
  readonly vectors: readonly Vector[]
  /** Cases that cannot be data, with the reasons. */
  readonly left_out: Readonly<Record<string, string>>
}

const withSend = <T extends { readonly fetch: Fetch }>(target: T) => ({
  ...target,
  send: byFetch(target.fetch),
})

/** Makes vectors of the cases of core that are asked for. */
export async function makeVectors(isAsked: (one: Case, index: number) => boolean): Promise<Vectors> {
  const requirements = new Map(readRequirements().map(one => [one.id, one]))
  const [first, second] = [await openReference(), await openReference()]
  const targets = [withSend(first.target), withSend(second.target)] as const
  const vectors: Vector[] = []
  const leftOut: Record<string, string> = {}
  for (const [index, one] of cases.entries()) {
    const requirement = requirements.get(one.requirement)
    if (requirement?.profile !== 'core' || requirement.status !== 'active' || !isAsked(one, index)) continue
    try {
      vectors.push(await vectorOf(one, requirement, targets))
    } catch (error) {
      if (!(error instanceof NotData || error instanceof NotSupported)) throw error
      leftOut[one.id] = error instanceof NotData ? error.message : 'it receives webhooks'
    }
  }
  await Promise.all([first.close(), second.close()])
  const { version } = JSON.parse(readPackageFile('package.json'))
  return { $schema: './vectors.schema.json', suite: version, vectors, left_out: leftOut }
}

/** Returns JSON with a line for each vector. */
export function textOf({ vectors, ...rest }: Vectors): string {
  const lines = vectors.map(one => JSON.stringify(one))
  return `${JSON.stringify(rest).slice(0, -1)},"vectors":[\n${lines.join(',\n')}\n]}\n`
}
