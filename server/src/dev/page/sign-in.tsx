import type { DevTenant } from '../../generated/dev-client/generated/types.gen.ts'
import { useAction } from './action.ts'
import { send } from './api.ts'
import { Field, Form } from './form.tsx'
import { type Access, named } from './keys.ts'
import { Failure } from './show.tsx'

/** Asks for the management key of a tenant, or creates a tenant. */
export function SignIn({ onAccess }: { onAccess(access: Access): void }) {
  const { error, isBusy, run } = useAction()
  const enter = ({ key = '', token = '' }: Record<string, string>) =>
    run(async () => {
      await send({ token }, key, 'GET', '/_dev/faults')
      onAccess({ token, keys: [named(key)] })
    })
  const create = ({ token = '' }: Record<string, string>) =>
    run(async () => {
      const tenant = await send<DevTenant>({ token }, undefined, 'POST', '/_dev/tenants', {})
      const keys = [tenant.management_key, tenant.private_key, tenant.public_key]
      onAccess({ token, keys: keys.map(named) })
    })
  return (
    <main>
      <h1>Development server</h1>
      <p>
        This page shows one tenant. Its keys stay in this tab: they are sent in headers to this server only,
        and forgotten when the tab is closed.
      </p>
      <Failure error={error} />
      <Form label="Watch this tenant" isBusy={isBusy} onSend={enter}>
        <Field label="Management key" name="key" type="password" required />
        <Field label="Token of --dev-token, if there is one" name="token" type="password" />
      </Form>
      <h2>No tenant yet?</h2>
      <Form label="Create a tenant" isBusy={isBusy} onSend={create}>
        <Field label="Token of --dev-token, if there is one" name="token" type="password" />
      </Form>
      <p>
        <a href="/docs">API reference</a>
      </p>
    </main>
  )
}
