import { writeDurably } from '../../base/durable-file.ts'
import { isJsonObject } from '../../base/json/json.ts'
import { textFlag } from '../../option-flags.ts'
import { ConfigError } from '../config-error.ts'
import { type Command, formatCount } from './command.ts'
import { DevCommandError, devFlags, devOf, reasonOf } from './dev-server.ts'

const kinds = ['applications', 'formulas', 'reactors', 'tokens'] as const

export const exportCommand: Command = {
  name: 'export',
  summary: 'write a tenant of a running test server into a file for --bootstrap',
  flags: [
    ...devFlags,
    textFlag('values', 'KIND', 'plain, or placeholders of the same shape with new keys', 'placeholders'),
  ],
  operands: ['FILE'],
  details: [
    'Writes applications, formulas, reactors and tokens. FILE is replaced; only its owner may read it, as it holds keys.',
  ],
  async run({ values, operands: [file = ''] }) {
    const kind = values.values
    if (kind !== 'plain' && kind !== 'placeholders') {
      throw new ConfigError('--values must be plain or placeholders')
    }
    const { fixtures, new_keys: newKeys } = await devOf(values)
      .export({ values: kind })
      .catch(error => {
        throw new DevCommandError(`the tenant could not be exported: ${reasonOf(error)}`)
      })
    await writeDurably(file, `${JSON.stringify(fixtures, null, 2)}\n`).catch(() => {
      throw new ConfigError(`the file ${file} cannot be written`)
    })
    const lines = [`${file}: ${countsOf(fixtures)}`]
    if (newKeys.length > 0) lines.push(`new keys in the file: ${newKeys.join(', ')}`)
    return `${lines.join('\n')}\n`
  },
}

function countsOf(fixtures: unknown): string {
  const { tenants } = fixtures as { tenants: unknown[] }
  const [tenant] = tenants
  const lists = isJsonObject(tenant as never) ? (tenant as Record<string, unknown>) : {}
  return kinds.map(kind => `${formatCount((lists[kind] as unknown[]).length)} ${kind}`).join(', ')
}
