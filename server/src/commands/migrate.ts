import { flags } from '../config.ts'
import { migrateStore } from '../storage/open.ts'
import type { Command } from './command.ts'

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'make or raise the schema of a PostgreSQL database',
  flags: flags.filter(flag => flag.name === 'storage'),
  operands: [],
  details: [
    'The user of the URL needs CREATE on the first schema of its search path; servers need only',
    'SELECT, INSERT, UPDATE and DELETE on the tables, so they may have another user.',
    'Several at once do no harm: one works and the others wait. Cut off, it is run again.',
  ],
  async run({ values }) {
    const { from, to } = await migrateStore(values.storage as string)
    return from === to
      ? `the schema is at version ${to} already\n`
      : `the schema went from ${from} to ${to}\n`
  },
}
