// Begins the authentication of a card by its bank. The reactor's answer is the redirect for the browser.
const { CustomHttpResponseError } = require('@surrogate/formula-errors')

module.exports = async ({ args: { card, amount, returnUrl } }) => {
  const response = await fetch('https://acs.example/authentications', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ pan: card.number, amount, returnUrl }),
  })
  const { status, challengeUrl } = await response.json()
  if (status === 'challenge')
    throw new CustomHttpResponseError({
      status: 202,
      headers: { 'x-next': 'challenge' },
      body: { challenge_url: challengeUrl },
    })
  return { raw: { status } }
}
