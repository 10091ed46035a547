// Asks a fraud service for a score and decides by it. If the service is down, the payment is reviewed by a person.
module.exports = async ({ args: { email, ip, amount, card } }) => {
  try {
    const response = await fetch('https://fraud.example/score', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: email.trim().toLowerCase(), ip, amount, bin: card.number.slice(0, 6) }),
      signal: AbortSignal.timeout(3000),
    })
    if (!response.ok) throw new Error('no score')
    const { score } = await response.json()
    return { raw: { score, decision: score >= 80 ? 'decline' : score >= 50 ? 'review' : 'accept' } }
  } catch {
    return { raw: { score: null, decision: 'review' } }
  }
}
