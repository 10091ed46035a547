import { useEffect, useState } from 'preact/hooks'
import type { DevSettled, DevTime } from '../../generated/dev-client/generated/types.gen.ts'
import { send, useAction } from './api.ts'
import { Field, Form } from './form.tsx'
import type { Access } from './keys.ts'
import { Failure } from './show.tsx'

const steps = [
  ['1 minute', 60_000],
  ['1 hour', 3_600_000],
  ['1 day', 86_400_000],
  ['30 days', 2_592_000_000],
] as const

/** The clock of the tenant, moved by hand, and a wait until nothing is left to do. */
export function Time({ access }: { access: Access }) {
  const { error, isBusy, run } = useAction()
  const [now, setNow] = useState('')
  const [settled, setSettled] = useState('')
  const key = access.keys[0]?.key
  const set = async (body: object) => {
    setNow((await send<DevTime>(access, key, 'POST', '/_dev/tenant/clock', body)).now)
  }
  const move = (body: object) => run(() => set(body))
  const settle = () =>
    run(async () => {
      const { later } = await send<DevSettled>(access, undefined, 'POST', '/_dev/settled')
      setSettled(`Nothing is running or due. Deliveries that are due later: ${later}.`)
    })
  useEffect(() => void run(() => set({}), true), [])
  return (
    <>
      <div class="cards">
        <section class="card">
          <h2>The time of this tenant</h2>
          <p role="status" class="clock">
            <time id="now" dateTime={now}>
              {now}
            </time>
          </p>
          <p class="muted">
            What falls due on the way happens: tokens expire and webhooks are tried again. Time never goes
            back, and other tenants have their own.
          </p>
          <div class="actions">
            {steps.map(([label, ms]) => (
              <button key={label} type="button" disabled={isBusy} onClick={() => move({ advance_ms: ms })}>
                + {label}
              </button>
            ))}
          </div>
          <Form label="Move to this time" isPrimary isBusy={isBusy} onSend={({ now }) => move({ now })}>
            <Field
              label="Time in UTC"
              name="now"
              placeholder="2030-01-31T09:30:00Z"
              width="medium"
              required
            />
          </Form>
        </section>
        <section class="card">
          <h2>Work in the background</h2>
          <p class="muted">
            Waits until no request, delivery, sweep or formula is running or due, in any tenant of this
            server.
          </p>
          <button type="button" disabled={isBusy} onClick={settle}>
            Wait until nothing is left to do
          </button>
          <p role="status">{settled}</p>
        </section>
      </div>
      <Failure error={error} />
    </>
  )
}
