// Checks the signature of a webhook from a payment service before anything in it is believed.
const crypto = require('node:crypto')
const { AuthenticationError } = require('@surrogate/formula-errors')

module.exports = ({ args: { body, header }, configuration }) => {
  const { t: time, v1 } = Object.fromEntries(header.split(',').map(pair => pair.split('=')))
  const expected = crypto.createHmac('sha256', configuration.SECRET).update(`${time}.${body}`).digest()
  const given = Buffer.from(v1 || '', 'hex')
  if (given.length !== expected.length || !crypto.timingSafeEqual(given, expected))
    throw new AuthenticationError('the signature is wrong')
  const { type, data } = JSON.parse(body)
  return { raw: { type, object: data.id } }
}
