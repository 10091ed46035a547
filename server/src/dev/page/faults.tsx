import { useEffect, useState } from 'preact/hooks'
import type { DevFault, DevFaultRequest } from '../../generated/dev-client/generated/types.gen.ts'
import { send, useAction } from './api.ts'
import { Choice, Field, Form } from './form.tsx'
import type { Access } from './keys.ts'
import { Empty, Failure } from './show.tsx'

interface Preset {
  readonly title: string
  readonly text: string
  readonly fault: DevFaultRequest
}

/** What goes wrong most often in production. */
const presets: readonly Preset[] = [
  {
    title: 'Unavailable',
    text: 'The next request gets 503 and a Retry-After of one second.',
    fault: { status: 503 },
  },
  {
    title: 'Too many requests',
    text: 'The next three requests get 429.',
    fault: { status: 429, retry_after: 1, times: 3 },
  },
  {
    title: 'Slow',
    text: 'The next five requests take 3 seconds longer.',
    fault: { latency: 3000, times: 5 },
  },
  {
    title: 'Response lost',
    text: 'The work is done, and the connection breaks before the response.',
    fault: { drop: 'after' },
  },
  { title: 'No response', text: 'The next request waits for a minute.', fault: { timeout: 'before' } },
  { title: 'Cut off', text: 'The next response ends after 20 bytes.', fault: { truncate: 20 } },
  {
    title: 'Webhook fails',
    text: 'The next three attempts of deliveries get 500.',
    fault: { on: 'delivery', status: 500, times: 3 },
  },
  {
    title: 'Formula busy',
    text: 'No process is free for the next run of a formula.',
    fault: { on: 'formula' },
  },
]

const occasions = [
  ['request', 'request'],
  ['delivery', 'delivery of a webhook'],
  ['formula', 'run of a formula'],
] as const
const moments = [
  ['', 'no'],
  ['before', 'before the work is done'],
  ['after', 'after the work is done'],
] as const
const numbers = ['status', 'retry_after', 'latency', 'truncate', 'times', 'skip']

/** Faults that are ordered by hand. */
export function Faults({ access, operations }: { access: Access; operations: readonly string[] }) {
  const { error, isBusy, run } = useAction()
  const [faults, setFaults] = useState<readonly DevFault[]>([])
  const key = access.keys[0]?.key
  const read = async () => {
    setFaults((await send<{ data: DevFault[] }>(access, key, 'GET', '/_dev/faults')).data)
  }
  useEffect(() => void run(read, true), [])
  const order = (fault: object) =>
    run(async () => {
      await send(access, key, 'POST', '/_dev/faults', fault)
      await read()
    })
  const orderFields = (fields: Record<string, string>) =>
    order(
      Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [name, numbers.includes(name) ? Number(value) : value]),
      ),
    )
  const clear = () =>
    run(async () => {
      await send(access, key, 'DELETE', '/_dev/faults')
      await read()
    })
  return (
    <>
      <div class="presets">
        {presets.map(({ title, text, fault }) => (
          <button key={title} type="button" class="preset" disabled={isBusy} onClick={() => order(fault)}>
            <strong>{title}</strong>
            <span class="muted">{text}</span>
          </button>
        ))}
      </div>
      <details class="card folded">
        <summary>Another fault</summary>
        <Form label="Order this fault" isPrimary isBusy={isBusy} onSend={orderFields}>
          <Choice label="The next" name="on" among={occasions} width="medium" />
          <Field label="Operation (any, if empty)" name="operation" list={operations} width="medium" />
          <Field label="Status" name="status" type="number" placeholder="503" width="short" />
          <Field label="Retry after, seconds" name="retry_after" type="number" width="short" />
          <Field label="Delay, milliseconds" name="latency" type="number" width="short" />
          <Choice label="Break the connection" name="drop" among={moments} width="medium" />
          <Choice label="Never respond" name="timeout" among={moments} width="medium" />
          <Field label="Cut off after, bytes" name="truncate" type="number" width="short" />
          <Field label="Times" name="times" type="number" value="1" width="short" />
          <Field label="Let pass first" name="skip" type="number" width="short" />
        </Form>
      </details>
      <Failure error={error} />
      <div class="toolbar">
        <span role="status" class="muted count">
          {faults.length === 1 ? '1 fault is ordered' : `${faults.length} faults are ordered`}
        </span>
        <button type="button" disabled={isBusy} onClick={() => run(read)}>
          Refresh
        </button>
        <button type="button" disabled={isBusy || faults.length === 0} onClick={clear}>
          Remove all
        </button>
      </div>
      {faults.length === 0 ? (
        <Empty title="Everything works">
          <p>Order a fault to see how your application takes it. Faults are for this tenant only.</p>
        </Empty>
      ) : (
        <table>
          <caption class="hidden">Faults</caption>
          <thead>
            <tr>
              <th scope="col" class="path">
                Fault
              </th>
              <th scope="col" class="operation roomy">
                For
              </th>
              <th scope="col" class="number">
                Used
              </th>
              <th scope="col" class="number">
                Left
              </th>
            </tr>
          </thead>
          <tbody>
            {faults.map(({ fault, used, left }, index) => (
              <tr key={index} class={left === 0 ? 'muted' : undefined}>
                <td class="path">{effectOf(fault)}</td>
                <td class="operation roomy">{matchOf(fault)}</td>
                <td class="number">{used}</td>
                <td class="number">{left}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

function effectOf({ status, retry_after, latency, drop, timeout, truncate }: DevFaultRequest): string {
  const parts = [
    status !== undefined && `status ${status}`,
    retry_after !== undefined && `Retry-After ${retry_after} s`,
    latency !== undefined && `${latency} ms slower`,
    drop !== undefined && `connection lost ${drop} the work`,
    timeout !== undefined && `no response, ${timeout} the work`,
    truncate !== undefined && `cut off after ${truncate} bytes`,
  ].filter(Boolean)
  return parts.join(', ') || 'busy'
}

function matchOf({ on = 'request', operation, skip, ...rest }: DevFaultRequest): string {
  const ids = [rest.id, rest.application_id, rest.trace_id, rest.reactor_id].filter(Boolean)
  const after = skip === undefined ? '' : `, after ${skip}`
  return [operation ?? (on === 'request' ? 'any request' : on), ...ids].join(', ') + after
}
