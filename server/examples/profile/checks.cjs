const { BadRequestError } = require('@acme/formula-errors')

/** Of the imaginary vendor: throws unless the argument is there. */
exports.demand = (args, name) => {
  if (args[name] === undefined) throw new BadRequestError({ [`args.${name}`]: ['is missing'] })
  return args[name]
}
