import type { Dice } from '../dice.ts'
import { anyText, word } from './texts.ts'

const known = [
  '/',
  '/pci/',
  '/pci/high/',
  '/PCI/High/',
  '/general/high/',
  '/restricted/',
  '/restricted/deep/',
]

export function validContainer(dice: Dice): string {
  return dice.chance(0.6) ? dice.pick(known) : `/${dice.list(1, 4, () => `${word(dice, 1, 8)}/`).join('')}`
}

export function container(dice: Dice): string {
  return dice.weighted([
    [6, validContainer(dice)],
    [
      1,
      dice.pick([
        '',
        '//',
        'pci',
        '/pci',
        'pci/',
        '/../',
        '/./',
        '/a//b/',
        '/a b/',
        '/é/',
        '/a/*',
        '/*',
        '\\a\\',
      ]),
    ],
    [1, `/${anyText(dice)}/`],
    [1, `/${'a/'.repeat(dice.pick([15, 16, 17, 60, 124, 125, 126, 500]))}`],
    [1, `/${'a'.repeat(dice.pick([247, 248, 249, 250, 2000]))}/`],
  ])
}
