/** The client of the imaginary vendor: other methods, members in camelCase, and `error.data`. */
module.exports = (client, { camelCase, snakeCase }) => {
  const rethrow = error => {
    throw Object.assign(error, { data: camelCase(error.problem) })
  }
  const call =
    method =>
    (...given) =>
      method(...given.map(one => snakeCase(one))).then(camelCase, rethrow)
  // Items of a page are in its `data`, whose members keep their spelling elsewhere.
  const page = method => query =>
    method(snakeCase(query)).then(
      ({ pagination, data }) => ({
        pagination: camelCase(pagination),
        data: data.map(one => camelCase(one)),
      }),
      rethrow,
    )
  // Payloads are data of the caller.
  const payload = method => given => method(given).then(answer => answer, rethrow)
  const { tokens, reactors } = client
  return {
    tokens: {
      create: call(token => tokens.create(token)),
      retrieve: call(id => tokens.get(id)),
      update: call((id, changes) => tokens.update(id, changes)),
      delete: call(id => tokens.delete(id)),
      list: page((query = {}) => tokens.list(query)),
      search: page(query => tokens.search(query)),
    },
    tokenize: payload(given => client.tokenize(given)),
    detokenize: payload(given => client.detokenize(given)),
    reactors: { react: call((id, invocation) => reactors.react(id, invocation)) },
  }
}
