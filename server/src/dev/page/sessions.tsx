import { useEffect, useState } from 'preact/hooks'
import type { DevSession } from '../../generated/dev-client/generated/types.gen.ts'
import { useAction } from './action.ts'
import { send } from './api.ts'
import { Field, Form, KeyChoice } from './form.tsx'
import type { Access, Key } from './keys.ts'
import { Entry, Failure, Json } from './show.tsx'

interface Props {
  readonly access: Access
  onKeys(keys: readonly Key[]): void
}

interface Created {
  readonly session_key: string
  readonly nonce: string
}

/** The sessions of the tenant, and those made, authorized and ended by hand. */
export function Sessions({ access, onKeys }: Props) {
  const { error, isBusy, run } = useAction()
  const [sessions, setSessions] = useState<readonly DevSession[]>([])
  const [nonce, setNonce] = useState('')
  const management = access.keys[0]?.key
  const read = async () => {
    setSessions((await send<{ data: DevSession[] }>(access, management, 'GET', '/_dev/sessions')).data)
  }
  useEffect(() => void run(read, true), [])
  const create = ({ key = '' }: Record<string, string>) =>
    run(async () => {
      const made = await send<Created>(access, key, 'POST', '/sessions')
      setNonce(made.nonce)
      onKeys([...access.keys, { key: made.session_key, label: `session …${made.session_key.slice(-4)}` }])
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
  return (
    <>
      <Failure error={error} />
      <Form label="Create a session" isBusy={isBusy} onSend={create}>
        <KeyChoice label="With" keys={access.keys} prefer="public" />
      </Form>
      <Form label="Authorize it" isBusy={isBusy} onSend={authorize}>
        <KeyChoice label="With" keys={access.keys} prefer="private" />
        <Field label="Nonce" name="nonce" value={nonce} required />
        <Field label="Permissions" name="permissions" value="token:create" required />
      </Form>
      <button type="button" disabled={isBusy} onClick={() => run(read)}>
        Read again
      </button>
      {sessions.length === 0 && <p>There is no session.</p>}
      {sessions.map(session => (
        <Entry
          key={session.id}
          summary={
            <>
              <code>{session.id}</code>{' '}
              <span class="muted">
                {session.authorizer_id === undefined ? 'not authorized' : 'authorized'}, until{' '}
                {session.expires_at}
              </span>
            </>
          }
        >
          <button type="button" disabled={isBusy} onClick={() => end(session.id)}>
            End it
          </button>
          <Json value={session} />
        </Entry>
      ))}
    </>
  )
}
