/** Returns the n-th of 10^9 card numbers that pass the Luhn check. */
export function cardNumber(n: number): string {
  const digits = `424242${String(n % 1e9).padStart(9, '0')}`
  // Every second digit, counted back from the check digit, is doubled.
  const sum = [...digits].map(Number).reduceRight((total, digit, at) => {
    const isDoubled = (digits.length - at) % 2 === 1
    return total + (isDoubled ? (digit > 4 ? 2 * digit - 9 : 2 * digit) : digit)
  }, 0)
  return digits + ((10 - (sum % 10)) % 10)
}
