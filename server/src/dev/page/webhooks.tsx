import { useAction } from './action.ts'
import { send } from './api.ts'
import { Field, Form } from './form.tsx'
import type { Access } from './keys.ts'
import { Status } from './requests.tsx'
import { Entry, Failure, Json, timeOf } from './show.tsx'
import type { Webhook } from './watch.ts'

interface Props {
  readonly access: Access
  readonly webhooks: readonly Webhook[]
}

/** The webhooks that came to the inbox, its next replies, and repetitions. */
export function Webhooks({ access, webhooks }: Props) {
  const { error, isBusy, run } = useAction()
  const key = access.keys[0]?.key
  const post = (path: string, body?: unknown) => run(() => send(access, key, 'POST', path, body))
  return (
    <>
      <Failure error={error} />
      <Form
        label="Order these replies"
        isBusy={isBusy}
        onSend={({ status, times }) =>
          post('/_dev/inbox/replies', { status: Number(status), times: Number(times) })
        }
      >
        <Field label="The inbox replies with" name="status" type="number" value="503" required />
        <Field label="to so many attempts" name="times" type="number" value="1" required />
      </Form>
      {webhooks.length === 0 && (
        <p>
          No webhook has come yet. Invoke a reactor with the <code>callback_url</code>{' '}
          <code>https://inbox.surrogate.invalid/</code>.
        </p>
      )}
      <div aria-live="polite" aria-relevant="additions">
        {webhooks.map(webhook => (
          <Entry key={webhook.id} summary={<Line webhook={webhook} />}>
            <button
              type="button"
              disabled={isBusy}
              onClick={() => post(`/_dev/inbox/${encodeURIComponent(webhook.id)}/replay`)}
            >
              Deliver it again
            </button>
            {webhook.is_cut && <p>The body is too long to be shown here.</p>}
            <Json value={webhook} />
          </Entry>
        ))}
      </div>
    </>
  )
}

function Line({ webhook: { attempts, id, url } }: { webhook: Webhook }) {
  return (
    <>
      <time>{timeOf(attempts.at(-1)?.at ?? '')}</time>{' '}
      {attempts.map(({ status }, index) => (
        <Status key={index} status={status} />
      ))}{' '}
      <code>{id}</code> <span class="muted">{url}</span>
    </>
  )
}
