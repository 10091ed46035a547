/** Valid values of each type. All are test numbers that belong to nobody. */
export const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }
export const bank = { routing_number: '110000000', account_number: '000123456789' }
export const ssn = '078-05-1120'
export const employerId = '12-3456789'
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** A well-formed id that does not exist. */
export const nothing = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
export const allTokenPermissions = ['create', 'read', 'update', 'delete', 'search', 'use'].map(
  name => `token:${name}`,
)
/** The shown data of a token by transform, if the data and the mask are these texts. */
export const masked = { data: { name: 'Jane' }, mask: { name: 'X' } }
export const shownUnder = [
  ['reveal', masked.data],
  ['mask', masked.mask],
  ['redact', undefined],
] as const
/** Returns an access rule on a container. */
export const rule = (container: string, transform: string, permissions: readonly string[], priority = 1) => ({
  priority,
  container,
  transform,
  permissions,
})
/** Returns a list of `count` values. */
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
export const minute = 60_000
export const hour = 60 * minute
/** Returns an instant in the local time of an offset, such as `+05:30` or `-09`. */
export function atOffset(ms: number, offset: string): string {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number)
  const ahead = (hours * 60 + minutes) * (offset.startsWith('-') ? -minute : minute)
  return new Date(ms + ahead).toISOString().replace('Z', offset)
}
/** True for digits that pass the Luhn check. */
export function isLuhn(text: string): boolean {
  const sum = [...text].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
