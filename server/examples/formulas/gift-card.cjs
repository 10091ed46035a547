// Written for a runtime without strict mode: variables without declarations, a number in octal, and callbacks.
var util = require('util')
var EventEmitter = require('events')

function Ledger() {
  EventEmitter.call(this)
  this.balance = 0
}
util.inherits(Ledger, EventEmitter)
Ledger.prototype.add = function (cents, done) {
  process.nextTick(() => {
    this.balance += cents
    this.emit('changed', this.balance)
    done(null, this.balance)
  })
}

module.exports = async req => {
  ledger = new Ledger()
  changes = []
  ledger.on('changed', balance => {
    changes.push(balance)
  })
  add = util.promisify(ledger.add.bind(ledger))
  for (i = 0; i < req.args.loads.length; i++) await add(req.args.loads[i])
  return {
    raw: {
      balance: ledger.balance,
      changes: changes,
      mode: 0644,
      pin: new Buffer(req.args.pin).toString('base64'),
    },
  }
}
