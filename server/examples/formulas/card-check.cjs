// Checks a card number by its last digit, and finds its network.
const networks = [
  [/^4/, 'visa'],
  [/^(5[1-5]|2[2-7])/, 'mastercard'],
  [/^3[47]/, 'amex'],
  [/^6/, 'discover'],
]

module.exports = ({ args: { number } }) => {
  const digits = [...number.replace(/\D/g, '')].reverse().map(Number)
  const sum = digits.reduce((all, digit, at) => all + (at % 2 ? (digit * 2) % 9 || (digit && 9) : digit), 0)
  const [, network = 'unknown'] = networks.find(([start]) => start.test(number)) || []
  return { raw: { valid: digits.length >= 12 && sum % 10 === 0, network, last4: number.slice(-4) } }
}
