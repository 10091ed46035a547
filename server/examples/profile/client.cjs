/** The client of the imaginary vendor: other methods, members in camelCase, and `error.data`. */
module.exports = (client, { camelCase, snakeCase }) => {
  const call =
    method =>
    async (...given) => {
      try {
        return camelCase(await method(...given.map(one => snakeCase(one))))
      } catch (error) {
        throw Object.assign(error, { data: camelCase(error.problem) })
      }
    }
  return {
    tokens: {
      create: call(token => client.tokens.create(token)),
      retrieve: call(id => client.tokens.get(id)),
    },
  }
}
