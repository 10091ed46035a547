import { flags } from '../config.ts'
import { migrateStore } from '../storage/open.ts'
import type { Command } from './command.ts'

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'make the schema of a PostgreSQL database, or upgrade it',
  flags: flags.filter(flag => flag.name === 'storage'),
  operands: [],
  details: [
    'The user of the URL needs CREATE on the first schema of its search path; servers need only',
    'SELECT, INSERT, UPDATE and DELETE on the tables, so they may have another user.',
    'If several run at once, one works and the others wait. If it was interrupted, run it again.',
  ],
  async run({ values }) {
    const { from, to } = await migrateStore(values.storage as string)
    return from === to
      ? `the schema is already at version ${to}\n`
      : `the schema was upgraded from version ${from} to ${to}\n`
  },
}
