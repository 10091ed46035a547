// Reads customers from CSV, with quotes, and tokenizes the bank account of each.
const { BadRequestError } = require('@surrogate/formula-errors')

function cells(line) {
  const found = []
  for (const [, quoted, plain] of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)) {
    found.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
  }
  return found
}

module.exports = ({ args: { csv } }) => {
  const [head, ...rows] = csv.trim().split(/\r?\n/).map(cells)
  const at = name => {
    const index = head.indexOf(name)
    if (index < 0) throw new BadRequestError({ 'args.csv': [`has no column ${name}`] })
    return index
  }
  const [name, routing, account] = ['name', 'routing', 'account'].map(at)
  const customers = rows.map(row => ({
    name: row[name],
    account: { type: 'bank', data: { routing_number: row[routing], account_number: row[account] } },
  }))
  return {
    raw: { count: customers.length, names: customers.map(customer => customer.name) },
    tokenize: customers.map(({ account }) => account),
  }
}
