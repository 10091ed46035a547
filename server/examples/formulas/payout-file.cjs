// Writes a file of payouts with fields of fixed width and a control record, as clearing houses expect it.
const { BadRequestError } = require('@surrogate/formula-errors')
const number = (value, width) => String(value).padStart(width, '0')
const text = (value, width) =>
  value
    .normalize('NFD')
    .replace(/[^\x20-\x7e]/g, '')
    .toUpperCase()
    .slice(0, width)
    .padEnd(width)

module.exports = ({ args: { company, date, payouts } }) => {
  const bad = payouts.findIndex(
    ({ account, routing }) => !/^\d{1,17}$/.test(account) || !/^\d{9}$/.test(routing),
  )
  if (bad >= 0) throw new BadRequestError({ [`args.payouts.${bad}`]: ['has no valid account'] })
  const sum = payouts.reduce((all, { cents }) => all + cents, 0)
  const hash = payouts.reduce((all, { routing }) => all + Number(routing.slice(0, 8)), 0) % 1e10
  const records = [
    `1${text(company, 23)}${date.replaceAll('-', '')}`,
    ...payouts.map(
      ({ name, routing, account, cents }) =>
        `6${routing}${account.padEnd(17)}${number(cents, 10)}${text(name, 22)}`,
    ),
    `9${number(payouts.length, 6)}${number(hash, 10)}${number(sum, 12)}`,
  ]
  return {
    raw: { records: payouts.length, sum },
    tokenize: { file: { type: 'token', data: records.join('\r\n') } },
  }
}
