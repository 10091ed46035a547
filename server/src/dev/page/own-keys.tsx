import type { DevApplication } from '../../generated/dev-client/generated/types.gen.ts'
import { useAction } from './action.ts'
import { send } from './api.ts'
import { Choice, Field, Form } from './form.tsx'
import { type Access, type Key, named } from './keys.ts'
import { Failure } from './show.tsx'

interface Props {
  readonly access: Access
  onKeys(keys: readonly Key[]): void
}

const types = ['private', 'public', 'management'].map(type => [type, type] as const)

/** The keys that can be chosen, and new ones. */
export function OwnKeys({ access, onKeys }: Props) {
  const { error, isBusy, run } = useAction()
  const { keys } = access
  const make = ({ type, permissions = '' }: Record<string, string>) =>
    run(async () => {
      const wanted = permissions.split(/[\s,]+/).filter(Boolean)
      const rights = wanted.length > 0 ? { permissions: wanted } : {}
      const path = '/_dev/applications'
      const made = await send<DevApplication>(access, keys[0]?.key, 'POST', path, { type, ...rights })
      onKeys([...keys, { ...named(made.key), label: `${type} …${made.key.slice(-4)} ${wanted.join(' ')}` }])
    })
  return (
    <>
      <ul>
        {keys.map(({ key, label }, index) => (
          <li key={key}>
            {label}{' '}
            {index > 0 && (
              <button type="button" onClick={() => onKeys(keys.filter(one => one.key !== key))}>
                Forget
              </button>
            )}
          </li>
        ))}
      </ul>
      <Failure error={error} />
      <Form label="Use this key, too" onSend={({ key = '' }) => onKeys([...keys, named(key)])}>
        <Field label="Key of an application or session" name="key" type="password" required />
      </Form>
      <Form label="Make a key" isBusy={isBusy} onSend={make}>
        <Choice label="Application" name="type" among={types} />
        <Field label="Permissions (the usual ones, if empty)" name="permissions" placeholder="token:read" />
      </Form>
    </>
  )
}
