import { booleanFlag } from '../../options/flag.ts'
import { flags } from '../../options/program-table.ts'
import { migrateStore } from '../../storage/open.ts'
import type { Command } from './command.ts'

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'make the schema of a database, or upgrade it',
  flags: [
    ...flags.filter(flag => flag.name === 'storage'),
    booleanFlag(
      'check',
      'say what would be done, and change nothing; the exit code is 1 if there is something',
    ),
  ],
  operands: [],
  details: [
    'The user of the URL needs CREATE on the first schema of its search path; servers need only',
    'SELECT, INSERT, UPDATE and DELETE on the tables, so they may have another user.',
    'If several run at once, one works and the others wait. If it was interrupted, run it again.',
    'On Citus it distributes the tables by tenant, too. Then the URL must be that of the coordinator.',
  ],
  async run({ values }) {
    const check = values.check === true
    const { from, to, placing } = await migrateStore(values.storage as string, check)
    const steps = [...(from === to ? [] : [`upgrade the schema from version ${from} to ${to}`]), ...placing]
    if (check) {
      const output = steps.length === 0 ? 'there is nothing to do\n' : lines('to do', steps)
      return { output, exitCode: steps.length === 0 ? 0 : 1 }
    }
    const first =
      from === to
        ? `the schema is already at version ${to}\n`
        : `the schema was upgraded from version ${from} to ${to}\n`
    return placing.length === 0 ? first : first + lines('done', placing)
  },
}

const lines = (begin: string, steps: readonly string[]) => steps.map(step => `${begin}: ${step}\n`).join('')
