import type { Dice } from '../dice.ts'
import { anyText } from './texts.ts'

const two = (value: number) => String(value).padStart(2, '0')

/** Makes a valid expiry, decades ahead. */
export function futureDate(dice: Dice): string {
  const [year, month, day] = [dice.int(2090, 9998), dice.int(1, 12), dice.int(1, 28)]
  const iso = `${year}-${two(month)}-${two(day)}`
  return dice.pick([
    iso,
    `${month}/${day}/${year}`,
    `${iso}T${two(dice.int(0, 23))}:30:15Z`,
    `${iso}T${two(dice.int(0, 23))}:30:15.${dice.int(1, 999_999)}+0${dice.int(0, 9)}:30`,
    `${iso}T09:30:00`,
    `${month}/${day}/${year} ${dice.int(1, 12)}:05:09 ${dice.pick(['AM', 'PM'])}`,
  ])
}

/** Makes a text like a date: with impossible days, years before 1, leap seconds or odd offsets. */
export function date(dice: Dice): string {
  const year = dice.pick(['2031', '0000', '0001', '9999', '10000', '-271821', '275760', '2100', '1970', '20'])
  const month = dice.pick(['01', '02', '12', '00', '13', '1', '6'])
  const day = dice.pick(['01', '28', '29', '30', '31', '32', '00', '5'])
  const hour = dice.pick(['00', '12', '13', '23', '24', '25', '9'])
  const minute = dice.pick(['00', '59', '60'])
  const offset = dice.pick([
    '',
    'Z',
    'z',
    '+00:00',
    '-00:00',
    '+14:00',
    '+23:59',
    '+24:00',
    '-0700',
    '+07',
    ' +01:00',
    '+1:00',
  ])
  const fraction = dice.pick(['', '.1', ',5', '.999999999', '.9999999999', `.${'9'.repeat(40)}`])
  const made = dice.pick([
    `${year}-${month}-${day}`,
    `${year}-${month}-${day}${dice.pick(['T', 't', ' '])}${hour}:${minute}:${dice.pick(['00', '59', '60', '61'])}${fraction}${offset}`,
    `${year}-${month}-${day}T${hour}:${minute}${offset}`,
    `${month}/${day}/${year}`,
    `${month}/${day}/${year} ${hour}:${minute}:00 ${dice.pick(['AM', 'PM', 'am', 'XM'])}${offset}`,
    `${year}-W01-1`,
    `${year}${month}${day}`,
    String(dice.int(0, 2 ** 45)),
  ])
  return dice.chance(0.1) ? made + anyText(dice) : made
}
