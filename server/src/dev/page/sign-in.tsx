import type { DevTenant } from '../../generated/dev-client/generated/types.gen.ts'
import { Refusal, send, useAction } from './api.ts'
import { Field, Form } from './form.tsx'
import { type Access, keyOf } from './keys.ts'
import { Failure } from './show.tsx'

interface Props {
  /** Keys that were refused. */
  readonly refused?: Access | undefined
  readonly refusal?: Refusal | undefined
  onAccess(access: Access): void
}

/** Asks for the management key of a tenant, or creates a tenant. */
export function SignIn({ refused, refusal, onAccess }: Props) {
  const { error = refusal, isBusy, run } = useAction()
  const enter = ({ key = '', token = '' }: Record<string, string>) =>
    run(async () => {
      await send({ token }, key, 'GET', '/_dev/faults')
      onAccess({ token, keys: [keyOf(key)] })
    })
  const create = ({ token = '' }: Record<string, string>) =>
    run(async () => {
      const tenant = await send<DevTenant>({ token }, undefined, 'POST', '/_dev/tenants', {})
      const keys = [tenant.management_key, tenant.private_key, tenant.public_key]
      onAccess({ token, keys: keys.map(keyOf) })
    })
  const token = needsToken(error) && (
    <Field label="Token of --dev-token" name="token" type="password" required />
  )
  const key = refused?.keys[0]?.key
  return (
    <main class="sign-in">
      <h1>Development server</h1>
      <p class="muted">
        This page shows one tenant. The line that the server prints at its start has an address that signs you
        in. Keys stay in this tab: they are sent in headers to this server only, and forgotten when the tab is
        closed.
      </p>
      <Advice error={error} />
      <Failure error={error} isBrief />
      <section class="card">
        <h2>Open a tenant</h2>
        <Form label="Watch this tenant" isPrimary isBusy={isBusy} onSend={enter}>
          <Field
            label="Management key"
            name="key"
            type="password"
            required
            {...(key === undefined ? {} : { value: key })}
          />
          {token}
        </Form>
      </section>
      <section class="card">
        <h2>No tenant yet?</h2>
        <Form label="Create a tenant" isBusy={isBusy} onSend={create}>
          {token}
        </Form>
      </section>
      <p>
        <a href="/docs">API reference</a>
      </p>
    </main>
  )
}

/** True if the server has refused a request without the token that it was started with. */
const needsToken = (error: unknown) =>
  error instanceof Refusal && error.problem.status === 401 && error.message.includes('--dev-token')

/** Says what would be right. */
function Advice({ error }: { error: unknown }) {
  if (!(error instanceof Refusal)) return null
  const { status, explanation } = error.problem
  const type = explanation?.application_type
  if (type !== undefined && type !== 'management') {
    return (
      <p class="notice">
        This is the key of a <strong>{type}</strong> application. This page needs the key of a{' '}
        <strong>management</strong> application; those that the server makes begin with <code>key_mgt_</code>.
      </p>
    )
  }
  if (status !== 401) return null
  return (
    <p class="notice">
      {needsToken(error)
        ? 'This server was started with --dev-token: fill in that token, too.'
        : 'The server does not know this key. If it has been started again with an empty store, use the address that its start line prints now.'}
    </p>
  )
}
