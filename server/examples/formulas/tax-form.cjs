// Fills in a form about a person whose number only the vault knows, and shows its last digits only.
module.exports = async ({ args: { id, year, amounts }, svc }) => {
  const person = await svc.tokens.get(id)
  const total = Object.values(amounts).reduce((sum, one) => sum + one, 0)
  const form = { year, name: person.data.name, number: person.data.number, boxes: amounts, total }
  return {
    raw: { year, number: `***-**-${form.number.slice(-4)}`, total },
    tokenize: { form: { type: 'token', data: form } },
  }
}
