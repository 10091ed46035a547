/**
 * An application of the imaginary vendor, written against its declarations only. It runs in a formula as well.
 *
 * @param {import('./acme').Acme} acme
 * @param {string} charge the id of a reactor
 */
module.exports = async (acme, charge) => {
  const card = await acme.tokens.create({
    type: 'card',
    data: { number: '4242424242424242', expiration_month: '12', expiration_year: '2030' },
    privacy: { impactLevel: 'moderate', restrictionPolicy: 'mask' },
    metadata: { customerId: 'c-1' },
    deduplicateToken: true,
    expiresAt: '2099-01-01T00:00:00Z',
  })
  const { data, createdBy } = await acme.tokens.retrieve(card.id)
  const updated = await acme.tokens.update(card.id, { metadata: { customerId: 'c-2' } })
  const { pagination, data: found } = await acme.tokens.search({ query: 'metadata.customerId:c-2' })
  const { contact } = await acme.tokenize({
    contact: {
      type: 'token',
      data: { emailAddress: 'ada@example.com' },
      privacy: { classification: 'pii', impactLevel: 'low' },
      searchIndexes: ['{{ data.emailAddress }}'],
    },
  })
  const plain = await acme.detokenize({ sendTo: `{{ ${contact.id} }}` })
  const charged = await acme.reactors.react(charge, { args: { card: `{{ ${card.id} }}` } })
  await acme.tokens.delete(card.id)
  const gone = await acme.tokens.retrieve(card.id).catch(error => error.data.status)
  return {
    month: data.expiration_month,
    isOwn: createdBy === card.createdBy && updated.modifiedBy === createdBy,
    privacy: card.privacy,
    found: [pagination.totalItems, found[0].metadata.customerId, found[0].privacy.classification],
    contact: [contact.containers[0], contact.privacy.restrictionPolicy, contact.searchIndexes.length],
    plain,
    charged: charged.raw,
    gone,
  }
}
