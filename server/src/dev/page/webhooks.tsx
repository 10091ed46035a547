import { send, useAction } from './api.ts'
import { Field, Form } from './form.tsx'
import type { Access } from './keys.ts'
import { Copy, Empty, Facts, Failure, Json, Part, Status, Time } from './show.tsx'
import { type Column, Table } from './table.tsx'
import type { Route } from './tabs.tsx'
import type { Webhook } from './watch.ts'

interface Props {
  readonly access: Access
  readonly webhooks: readonly Webhook[]
  readonly route: Route
}

/** The callback URL that leads to the inbox. */
const inbox = 'https://inbox.surrogate.invalid/'

const columns: Column<Webhook>[] = [
  { label: 'Time', width: 'time', show: ({ attempts }) => <Time at={attempts.at(-1)?.at ?? ''} /> },
  {
    label: 'Replies',
    width: 'replies',
    show: ({ attempts }) =>
      attempts.slice(-5).map(({ status }, index) => <Status key={index} status={status} />),
  },
  { label: 'Webhook', width: 'id', show: ({ id }) => <code title={id}>{id}</code> },
  {
    label: 'Reactor',
    width: 'id',
    from: 'laptop',
    show: one => <code title={one.reactor_id}>{one.reactor_id}</code>,
  },
  { label: 'Callback URL', width: 'path', from: 'laptop', show: ({ url }) => <code title={url}>{url}</code> },
]

/** The webhooks that came to the inbox, its next replies, and repetitions. */
export function Webhooks({ access, webhooks, route }: Props) {
  const { error, isBusy, run } = useAction()
  const key = access.keys[0]?.key
  const post = (path: string, body?: unknown) => run(() => send(access, key, 'POST', path, body))
  const reply = ({ status, times }: Record<string, string>) =>
    post('/_dev/inbox/replies', { status: Number(status), times: Number(times) })
  return (
    <>
      <div class="toolbar">
        <span role="status" class="muted count">
          {webhooks.length === 1 ? '1 webhook' : `${webhooks.length} webhooks`}
        </span>
        <Form label="Set" isBusy={isBusy} onSend={reply}>
          <Field label="Next replies" name="status" type="number" value="503" width="tiny" required />
          <Field label="times" name="times" type="number" value="1" width="tiny" required />
        </Form>
      </div>
      <Failure error={error} />
      {webhooks.length === 0 ? (
        <Empty title="No webhook has come yet">
          <p>
            Invoke a reactor with this <code>callback_url</code>, and its result is delivered here:
          </p>
          <p>
            <code>{inbox}</code> <Copy label="Copy" text={() => inbox} />
          </p>
        </Empty>
      ) : (
        <Table
          label="Webhooks"
          columns={columns}
          rows={webhooks}
          idOf={({ id }) => id}
          route={route}
          detail={webhook => (
            <>
              <div class="actions">
                <button
                  type="button"
                  class="small"
                  disabled={isBusy}
                  onClick={() => post(`/_dev/inbox/${encodeURIComponent(webhook.id)}/replay`)}
                >
                  Deliver again
                </button>
                <Copy label="Copy body" text={() => JSON.stringify(webhook.body, null, 2)} />
              </div>
              <Facts
                of={[
                  ['Callback URL', <code>{webhook.url}</code>, true],
                  ['Reactor', <code>{webhook.reactor_id}</code>],
                  ['Trace id', <code>{webhook.trace_id}</code>],
                  ...webhook.attempts.map(
                    ({ at, status }, index) =>
                      [
                        `Attempt ${index + 1}`,
                        <>
                          <Status status={status} /> {at}
                        </>,
                      ] as const,
                  ),
                ]}
              />
              {webhook.is_cut ? (
                <p class="notice">The body is too long to be shown here.</p>
              ) : (
                <Part title="Body">
                  <Json label="Body" value={webhook.body} />
                </Part>
              )}
              <Part title="Headers">
                <Json label="Headers" value={webhook.headers} />
              </Part>
            </>
          )}
        />
      )}
    </>
  )
}
