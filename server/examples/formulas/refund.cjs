// Refunds a charge whose id was kept as a token, in whole or in part.
const { ReactorRuntimeError } = require('@surrogate/formula-errors')

module.exports = async ({ args: { charge, amount }, configuration }) => {
  const response = await fetch(`https://pay.example/v1/charges/${encodeURIComponent(charge)}/refunds`, {
    method: 'POST',
    headers: { authorization: `Bearer ${configuration.SECRET_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(amount === undefined ? {} : { amount }),
  })
  if (!response.ok) throw new ReactorRuntimeError(`the refund was refused with status ${response.status}`)
  const { id, amount: refunded } = await response.json()
  return { raw: { id, refunded } }
}
