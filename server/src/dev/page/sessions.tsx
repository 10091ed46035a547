import { useEffect, useState } from 'preact/hooks'
import type { DevSession } from '../../generated/dev-client/generated/types.gen.ts'
import { send, useAction } from './api.ts'
import { Field, Form, KeyChoice } from './form.tsx'
import { type Access, type Key, labelOf } from './keys.ts'
import { Empty, Failure, Json } from './show.tsx'
import { type Column, Table } from './table.tsx'
import type { Route } from './tabs.tsx'
import type { Watched } from './watch.ts'

interface Props {
  readonly access: Access
  readonly applications: Watched['applications']
  readonly route: Route
  onKeys(keys: readonly Key[]): void
}

interface Created {
  readonly session_key: string
  readonly nonce: string
}

/** The sessions of the tenant, and those made, authorized and ended by hand. */
export function Sessions({ access, applications, route, onKeys }: Props) {
  const { error, isBusy, run } = useAction()
  const [sessions, setSessions] = useState<readonly DevSession[]>()
  const [nonce, setNonce] = useState('')
  const management = access.keys[0]?.key
  const ofApplications = access.keys.filter(({ kind }) => kind !== 'session')
  const read = async () => {
    setSessions((await send<{ data: DevSession[] }>(access, management, 'GET', '/_dev/sessions')).data)
  }
  useEffect(() => void run(read, true), [])
  const create = ({ key = '' }: Record<string, string>) =>
    run(async () => {
      const made = await send<Created>(access, key, 'POST', '/sessions')
      setNonce(made.nonce)
      onKeys([...access.keys, { key: made.session_key, kind: 'session' }])
      await read()
    })
  const authorize = ({ key = '', permissions = '', nonce }: Record<string, string>) =>
    run(async () => {
      const granted = permissions.split(/[\s,]+/).filter(Boolean)
      await send(access, key, 'POST', '/sessions/authorize', { nonce, permissions: granted })
      await read()
    })
  const end = (id: string) =>
    run(async () => {
      await send(access, management, 'DELETE', `/_dev/sessions/${encodeURIComponent(id)}`)
      await read()
    })
  const newest = access.keys.filter(({ kind }) => kind === 'session').at(-1)
  return (
    <>
      <div class="cards">
        <section class="card">
          <h2>1. A public application creates a session</h2>
          <p class="muted">
            It gets a key that may do nothing yet, and a nonce that it hands to the backend.
          </p>
          <Form label="Create" isPrimary isBusy={isBusy} onSend={create}>
            <KeyChoice label="With the key of" keys={ofApplications} prefer="public" />
          </Form>
          {newest && (
            <p class="muted">
              The key of the last one is under Keys as <strong>{labelOf(newest)}</strong>.
            </p>
          )}
        </section>
        <section class="card">
          <h2>2. A private application authorizes it</h2>
          <p class="muted">From then on the key may do what is granted here, until it expires.</p>
          <Form label="Authorize" isPrimary={nonce !== ''} isBusy={isBusy} onSend={authorize}>
            <KeyChoice label="With the key of" keys={ofApplications} prefer="private" />
            <Field label="Nonce" name="nonce" value={nonce} required />
            <Field label="Permissions" name="permissions" value="token:create" required />
          </Form>
        </section>
      </div>
      <Failure error={error} />
      <div class="toolbar">
        <span role="status" class="muted count">
          {sessions && counted(sessions.length)}
        </span>
        <button type="button" disabled={isBusy} onClick={() => run(read)}>
          Refresh
        </button>
      </div>
      {sessions?.length === 0 && <Empty title="There is no session" />}
      {sessions && sessions.length > 0 && (
        <Table
          label="Sessions"
          columns={columnsWith(applications)}
          rows={sessions}
          idOf={({ id }) => id}
          route={route}
          detail={session => (
            <>
              <div class="actions">
                <button type="button" class="small" disabled={isBusy} onClick={() => end(session.id)}>
                  End it
                </button>
              </div>
              <Json label="Session" value={session} />
            </>
          )}
        />
      )}
    </>
  )
}

const counted = (count: number) => `${count} open ${count === 1 ? 'session' : 'sessions'}`

function columnsWith(applications: Watched['applications']): Column<DevSession>[] {
  return [
    { label: 'Session', width: 'id', show: ({ id }) => <code title={id}>{id}</code> },
    {
      label: 'State',
      width: 'condition',
      show: ({ authorizer_id }) =>
        authorizer_id === undefined ? (
          <span class="muted">not authorized</span>
        ) : (
          <span class="s2">authorized</span>
        ),
    },
    {
      label: 'Created by',
      width: 'application',
      from: 'laptop',
      show: ({ application_id }) =>
        applications.find(({ id }) => id === application_id)?.name ?? application_id.slice(0, 8),
    },
    {
      label: 'Permissions',
      width: 'path',
      from: 'tablet',
      show: ({ permissions = [] }) => permissions.join(', '),
    },
    {
      label: 'Expires',
      width: 'date',
      from: 'laptop',
      show: ({ expires_at }) => expires_at.slice(0, 19).replace('T', ' '),
    },
  ]
}
