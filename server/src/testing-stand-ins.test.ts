import t from 'tap'
import { isAbaRoutingNumber, isLuhnValid } from './base/check-digits.ts'
import { StandIns } from './testing-stand-ins.ts'

const standIns = new StandIns()

t.test('a stand-in has the shape of its value, and is the same for the same value', async t => {
  for (const text of ['Ann Example', '123-45-6789', 'a@b.example', 'Zoë 42', '0'.repeat(100)]) {
    const standIn = standIns.ofText(text)
    t.not(standIn, text)
    t.equal(standIn.length, text.length)
    t.equal(standIn.replaceAll(/[\p{L}\p{N}]/gu, 'x'), text.replaceAll(/[\p{L}\p{N}]/gu, 'x'), text)
    t.equal(standIns.ofText(text), standIn)
    t.not(new StandIns().ofText(text), standIn, 'in another recording another one')
  }
})

t.test('check digits are right where they were', async t => {
  for (const card of ['4242424242424242', '4242 4242 4242 4242', '378282246310005']) {
    const standIn = standIns.ofText(card)
    t.ok(isLuhnValid(standIn.replaceAll(' ', '')), standIn)
    t.equal(standIn.slice(0, 2), card.slice(0, 2))
    t.not(standIn.slice(-4), card.slice(-4))
  }
  t.ok(isAbaRoutingNumber(standIns.ofText('110000000')))
})

t.test('what servers make and the contract lists stays, and references keep their form', async t => {
  const id = '6f1c1bb0-0000-4000-8000-0123456789ab'
  for (const text of [
    id,
    'card',
    'token:read',
    'urn:surrogate:error:not_found',
    `{{ ${id} | json: '$.number' }}`,
  ])
    t.equal(standIns.ofText(text), text)
  t.match(
    standIns.ofText("{{ the-card | json: '$.number' }}"),
    /^\{\{ [a-z]{3}-[a-z]{4} \| json: '\$\.number' \}\}$/,
  )
  t.equal(standIns.ofText('{{ the-card }}'), `{{ ${standIns.ofText('the-card')} }}`)
  t.notMatch(standIns.ofText("{{ 4242424242424242 | json: '$.a4242424242424242' }}"), /4242424242424242/)
})

t.test('members of callers are replaced, settings stay', async t => {
  const time = '2031-01-31T09:30:00Z'
  const body = {
    mask: '{{ data | last4 }}',
    containers: ['/a/'],
    expires_at: time,
    metadata: { 'a 1': time },
    data: { month: 12, year: 2031, amount: 4200, ok: true, none: null },
  }
  const { metadata, data, ...rest } = standIns.of(body) as typeof body
  t.same(rest, { mask: body.mask, containers: body.containers, expires_at: time })
  t.notMatch(JSON.stringify(metadata), /a 1|2031-01-31/)
  t.match(data, { month: 12, year: 2031, ok: true, none: null })
  t.not(data.amount, 4200)
  t.match(standIns.of({ pagination: { total_items: 3, next: 'abc' } }), {
    pagination: { total_items: 3, next: /^(?!abc)[a-z]{3}$/ },
  })
})
