/** The n-th of a milliard card numbers that pass Luhn's check. */
export function cardNumber(n: number): string {
  const digits = `424242${String(n % 1e9).padStart(9, '0')}`
  return digits + checkDigit(digits)
}

function checkDigit(digits: string): number {
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[at])
    // The digits that stand an odd number of places before the check digit count twice.
    sum += (digits.length - at) % 2 === 0 ? digit : digit > 4 ? 2 * digit - 9 : 2 * digit
  }
  return (10 - (sum % 10)) % 10
}
