import { useState } from 'preact/hooks'
import type { DevConsole } from '../../generated/dev-client/generated/types.gen.ts'
import { useAction } from './action.ts'
import { send } from './api.ts'
import { Field, Form } from './form.tsx'
import type { Access } from './keys.ts'
import { Failure } from './show.tsx'
import type { Line } from './watch.ts'

interface Props {
  readonly access: Access
  readonly lines: readonly Line[]
}

/** What formulas print, as they print it, and what they printed before. */
export function Consoles({ access, lines }: Props) {
  const { error, isBusy, run } = useAction()
  const [earlier, setEarlier] = useState<readonly Line[]>([])
  const show = ({ reactor = '' }: Record<string, string>) =>
    run(async () => {
      const path = `/_dev/reactors/${encodeURIComponent(reactor)}/console`
      const { data } = await send<DevConsole>(access, access.keys[0]?.key, 'GET', path)
      setEarlier(data.map(line => ({ ...line, reactor_id: reactor })).reverse())
    })
  const reactors = [...new Set(lines.map(({ reactor_id }) => reactor_id))]
  return (
    <>
      <Failure error={error} />
      <Form label="Show its last lines" isBusy={isBusy} onSend={show}>
        <Field label="Id of a reactor" name="reactor" list={reactors} required />
      </Form>
      {earlier.length > 0 && <Lines title="Before" lines={earlier} />}
      <Lines title="Live" lines={lines} />
    </>
  )
}

function Lines({ title, lines }: { title: string; lines: readonly Line[] }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {lines.length === 0 && <p>No formula has printed anything yet.</p>}
      <ol class="lines" aria-live="polite">
        {lines.map((line, index) => (
          <li key={`${line.at} ${index}`} class={line.level}>
            <span class="muted">
              {line.at} {line.reactor_id} {line.level}
            </span>
            <pre>{line.text}</pre>
          </li>
        ))}
      </ol>
    </section>
  )
}
