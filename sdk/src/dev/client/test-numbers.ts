/**
 * Numbers that their publishers made for tests, or withdrew: they belong to nobody. Cards are those of Stripe's page on
 * testing (docs.stripe.com/testing), as are the reasons of declines; routing and account numbers of banks those of Stripe
 * and of Payload (docs.payload.com, Test Bank Accounts). Social security numbers are two that the Social Security
 * Administration never gives to anybody, because they were printed as samples, and those that it keeps for advertisements.
 */
export const testCards = {
  visa: ['4242424242424242', '4012888888881881', '4000056655665556'],
  mastercard: ['5555555555554444', '2223003122003222', '5200828282828210', '5105105105105100'],
  amex: ['378282246310005', '371449635398431'],
  discover: ['6011111111111117', '6011000990139424', '6011981111111113'],
  diners: ['3056930009020004', '36227206271667'],
  jcb: ['3566002020360505'],
  unionpay: ['6200000000000005'],
} as const

/** Visa cards that the sandbox of Stripe declines, by its code. */
export const declinedCards = {
  generic: '4000000000000002',
  insufficient_funds: '4000000000009995',
  lost_card: '4000000000009987',
  stolen_card: '4000000000009979',
  expired_card: '4000000000000069',
  incorrect_cvc: '4000000000000127',
  processing_error: '4000000000000119',
} as const

export const testRoutingNumbers = ['110000000', '021000021', '011401533', '091000019'] as const

/** Account numbers that the sandbox of Payload declines. */
export const declinedAccounts = {
  generic: '0009903',
  insufficient_funds: '0009904',
  account_closed: '0009802',
} as const

export const sampleSocialSecurityNumbers = ['078-05-1120', '219-09-9999'] as const

/** `987-65-4320` to `987-65-4329`: no social security number begins with 9. */
export const advertisedSocialSecurityNumber = '987-65-432'

/** The first two digits of numbers that the Internal Revenue Service gives to employers. */
export const employerPrefixes = [
  ...['01', '02', '03', '04', '05', '06', '10', '11', '12', '13', '14', '15', '16', '20', '21', '22', '23'],
  ...['24', '25', '26', '27', '30', '31', '32', '33', '34', '35', '36', '37', '38', '39', '40', '41', '42'],
  ...['43', '44', '45', '46', '47', '48', '50', '51', '52', '53', '54', '55', '56', '57', '58', '59', '60'],
  ...['61', '62', '63', '64', '65', '66', '67', '68', '71', '72', '73', '74', '75', '76', '77', '80', '81'],
  ...['82', '83', '84', '85', '86', '87', '88', '90', '91', '92', '93', '94', '95', '98', '99'],
] as const

/** The digits after the prefix in samples of forms. */
export const sampleEmployerDigits = '3456789'
