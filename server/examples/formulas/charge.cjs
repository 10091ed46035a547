// Charges a card at a payment service. The idempotency key makes a repeated invocation harmless.
const { BadRequestError, InvalidPaymentMethodError } = require('@surrogate/formula-errors')

module.exports = async ({ args: { card, amount, currency, order }, configuration }) => {
  if (!Number.isInteger(amount) || amount <= 0)
    throw new BadRequestError({ 'args.amount': ['must be a whole number of cents'] })
  const response = await fetch('https://pay.example/v1/charges', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${configuration.SECRET_KEY}`,
      'content-type': 'application/x-www-form-urlencoded',
      'idempotency-key': order,
    },
    body: new URLSearchParams({
      amount,
      currency,
      'card[number]': card.number,
      'card[exp_month]': card.expiration_month,
      'card[exp_year]': card.expiration_year,
    }),
  })
  const charge = await response.json()
  if (response.status === 402) throw new InvalidPaymentMethodError({ card: [charge.error.message] })
  return { raw: { id: charge.id, status: charge.status } }
}
