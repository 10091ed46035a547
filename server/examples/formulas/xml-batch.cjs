// Sends a batch of payments as XML to a bank, and reads the reference out of its answer.
const { ReactorRuntimeError } = require('@surrogate/formula-errors')
const xml = text => String(text).replace(/[<>&'"]/g, letter => `&#${letter.charCodeAt(0)};`)

module.exports = async ({ args: { batch, payments } }) => {
  const total = payments.reduce((sum, { cents }) => sum + cents, 0)
  const entries = payments.map(
    ({ name, account, cents }) =>
      `<Payment><Name>${xml(name)}</Name><Account>${xml(account)}</Account><Amount>${(cents / 100).toFixed(2)}</Amount></Payment>`,
  )
  const body = `<?xml version="1.0" encoding="UTF-8"?><Batch id="${xml(batch)}" total="${(total / 100).toFixed(2)}">${entries.join('')}</Batch>`
  const response = await fetch('https://bank.example/batches', {
    method: 'POST',
    headers: { 'content-type': 'application/xml' },
    body,
  })
  const [, reference] = /<Reference>([^<]+)<\/Reference>/.exec(await response.text()) || []
  if (reference === undefined) throw new ReactorRuntimeError('the bank gave no reference')
  return { raw: { reference, count: payments.length, total } }
}
