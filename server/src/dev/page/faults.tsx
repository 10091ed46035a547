import { useEffect, useState } from 'preact/hooks'
import type { DevFault } from '../../generated/dev-client/generated/types.gen.ts'
import { useAction } from './action.ts'
import { send } from './api.ts'
import { Choice, Field, Form } from './form.tsx'
import type { Access } from './keys.ts'
import { Failure, Tree } from './show.tsx'

const occasions = [
  ['request', 'a request'],
  ['delivery', 'a delivery of a webhook'],
  ['formula', 'a run of a formula'],
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
  const order = (fields: Record<string, string>) =>
    run(async () => {
      const members = Object.entries(fields).map(([name, value]) => [
        name,
        numbers.includes(name) ? Number(value) : value,
      ])
      await send(access, key, 'POST', '/_dev/faults', Object.fromEntries(members))
      await read()
    })
  const clear = () =>
    run(async () => {
      await send(access, key, 'DELETE', '/_dev/faults')
      await read()
    })
  return (
    <>
      <Failure error={error} />
      <Form label="Order this fault" isBusy={isBusy} onSend={order}>
        <Choice label="The next" name="on" among={occasions} />
        <Field label="Operation (any, if empty)" name="operation" list={operations} />
        <Field label="Status" name="status" type="number" placeholder="503" />
        <Field label="Retry after, seconds" name="retry_after" type="number" />
        <Field label="Wait, milliseconds" name="latency" type="number" />
        <Choice label="Break the connection" name="drop" among={moments} />
        <Choice label="Never respond" name="timeout" among={moments} />
        <Field label="Cut off after, bytes" name="truncate" type="number" />
        <Field label="Times" name="times" type="number" value="1" />
        <Field label="Let pass first" name="skip" type="number" />
      </Form>
      <button type="button" disabled={isBusy} onClick={() => run(read)}>
        Read again
      </button>{' '}
      <button type="button" disabled={isBusy} onClick={clear}>
        Remove all faults
      </button>
      {faults.length === 0 ? <p>No fault is ordered.</p> : <Tree value={faults} />}
    </>
  )
}
