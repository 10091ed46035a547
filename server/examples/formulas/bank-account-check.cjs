// Checks the routing number of a bank account by its check digit, and an IBAN by its remainder.
const routingIsValid = text =>
  /^\d{9}$/.test(text) && [...text].reduce((sum, digit, at) => sum + digit * [3, 7, 1][at % 3], 0) % 10 === 0

function ibanIsValid(text) {
  const moved = text
    .replace(/\s/g, '')
    .toUpperCase()
    .replace(/^(.{4})(.*)$/, '$2$1')
  const digits = moved.replace(/[A-Z]/g, letter => letter.charCodeAt(0) - 55)
  return /^\d{15,}$/.test(digits) && BigInt(digits) % 97n === 1n
}

module.exports = ({ args: { routing, iban } }) => ({
  raw: { ...(routing && { routing: routingIsValid(routing) }), ...(iban && { iban: ibanIsValid(iban) }) },
})
