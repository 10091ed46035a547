import type { DevApplication } from '../../generated/dev-client/generated/types.gen.ts'
import { send, useAction } from './api.ts'
import { Choice, Field, Form } from './form.tsx'
import { type Access, type Key, type Kind, keyOf } from './keys.ts'
import { Copy, Failure } from './show.tsx'

interface Props {
  readonly access: Access
  onKeys(keys: readonly Key[]): void
}

const types = ['private', 'public', 'management'].map(type => [type, type] as const)

/** The keys that can be chosen in other views, and new ones. */
export function OwnKeys({ access, onKeys }: Props) {
  const { error, isBusy, run } = useAction()
  const { keys } = access
  const make = ({ type = 'private', name = 'Test', permissions = '' }: Record<string, string>) =>
    run(async () => {
      const wanted = permissions.split(/[\s,]+/).filter(Boolean)
      const rights = wanted.length > 0 ? { permissions: wanted } : {}
      const path = '/_dev/applications'
      const made = await send<DevApplication>(access, keys[0]?.key, 'POST', path, { type, name, ...rights })
      onKeys([...keys, { key: made.key, kind: type as Kind, name }])
    })
  return (
    <>
      <table>
        <caption class="hidden">Keys</caption>
        <thead>
          <tr>
            <th scope="col" class="path">
              Application
            </th>
            <th scope="col" class="kind">
              Type
            </th>
            <th scope="col" class="operation roomy">
              Key
            </th>
            <th scope="col" class="end">
              <span class="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((one, index) => (
            <tr key={one.key}>
              <td class="path">{one.name ?? <span class="muted">not known</span>}</td>
              <td class="kind">{one.kind ?? ''}</td>
              <td class="operation roomy">
                <code>…{one.key.slice(-4)}</code>
              </td>
              <td class="end">
                <Copy label="Copy" text={() => one.key} />{' '}
                {one.name === undefined && index > 0 && (
                  <button
                    type="button"
                    class="small"
                    onClick={() => onKeys(keys.filter(({ key }) => key !== one.key))}
                  >
                    Forget
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Failure error={error} />
      <div class="cards">
        <section class="card">
          <h2>Make a key</h2>
          <Form label="Make" isPrimary isBusy={isBusy} onSend={make}>
            <Field label="Name of the application" name="name" placeholder="Test" />
            <Choice label="Type" name="type" among={types} />
            <Field
              label="Permissions (the usual ones, if empty)"
              name="permissions"
              placeholder="token:read, token:create"
            />
          </Form>
        </section>
        <section class="card">
          <h2>Use a key that is not listed</h2>
          <Form label="Use" onSend={({ key = '' }) => onKeys([...keys, keyOf(key)])}>
            <Field label="Key of an application or session" name="key" type="password" required />
          </Form>
        </section>
      </div>
    </>
  )
}
