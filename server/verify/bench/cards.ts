/** Returns the n-th of 10^9 card numbers that pass the Luhn check. */
export function cardNumber(n: number): string {
  const digits = `424242${String(n % 1e9).padStart(9, '0')}`
  return digits + checkDigit(digits)
}

function checkDigit(digits: string): number {
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[at])
    // Every second digit, counted back from the check digit, is doubled.
    sum += (digits.length - at) % 2 === 0 ? digit : digit > 4 ? 2 * digit - 9 : 2 * digit
  }
  return (10 - (sum % 10)) % 10
}
