import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Consoles } from './consoles.tsx'
import { Faults } from './faults.tsx'
import { type Access, joined, type Key, keepAccess, readAccess, takeFromAddress } from './keys.ts'
import { OwnKeys } from './own-keys.tsx'
import { everything, Requests } from './requests.tsx'
import { Sessions } from './sessions.tsx'
import { SignIn } from './sign-in.tsx'
import { Tabs, useRoute } from './tabs.tsx'
import { Time } from './time.tsx'
import { Tokens } from './tokens.tsx'
import { useWatch, type Watched } from './watch.ts'
import { Webhooks } from './webhooks.tsx'

const states = { connecting: 'Connecting …', live: 'Live', back: 'Live', lost: 'Not connected' }

/** Keys of this many applications can be chosen. */
const mostKeys = 100

function App() {
  const [access, setAccess] = useState(() => takeFromAddress() ?? readAccess())
  const change = (next: Access | undefined) => {
    keepAccess(next)
    setAccess(next)
  }
  useEffect(() => {
    if (access) keepAccess(access)
    // The address that the server prints may be opened in a tab that shows this page already.
    const onHash = () => {
      const given = takeFromAddress()
      if (given) change(given)
    }
    addEventListener('hashchange', onHash)
    return () => removeEventListener('hashchange', onHash)
  }, [])
  return access ? <Tenant access={access} onAccess={change} /> : <SignIn onAccess={change} />
}

function Tenant({ access, onAccess }: { access: Access; onAccess(next: Access | undefined): void }) {
  const watched = useWatch(access)
  const route = useRoute()
  const [filter, setFilter] = useState(everything)
  const { state, refusal, requests, webhooks, lines, applications } = watched
  const onKeys = (keys: readonly Key[]) => onAccess({ ...access, keys })
  useEffect(() => {
    if (applications.length > 0) onKeys(withApplications(access.keys, applications))
  }, [applications])
  if (refusal) return <SignIn refused={access} refusal={refusal} onAccess={onAccess} />

  const operations = [...new Set(requests.map(({ operation }) => operation))]
  const tabs = [
    {
      id: 'requests',
      label: 'Requests',
      show: () => <Requests {...{ access, watched, route, filter }} onFilter={setFilter} />,
    },
    {
      id: 'webhooks',
      label: 'Webhooks',
      count: webhooks.length,
      show: () => <Webhooks {...{ access, webhooks, route }} />,
    },
    { id: 'tokens', label: 'Tokens', show: () => <Tokens {...{ access, route }} /> },
    { id: 'consoles', label: 'Consoles', count: lines.length, show: () => <Consoles lines={lines} /> },
    {
      id: 'sessions',
      label: 'Sessions',
      show: () => <Sessions {...{ access, applications, route, onKeys }} />,
    },
    { id: 'faults', label: 'Faults', show: () => <Faults {...{ access, operations }} /> },
    { id: 'time', label: 'Time', show: () => <Time access={access} /> },
    { id: 'keys', label: 'Keys', show: () => <OwnKeys {...{ access, onKeys }} /> },
  ]
  return (
    <>
      <header>
        <h1>
          <Mark /> Surrogate <span class="muted">development server</span>
        </h1>
        <span role="status" class={`state ${state}`}>
          {states[state]}
        </span>
        <nav aria-label="Other pages">
          <a href="/docs">Reference</a>
          <button type="button" class="quiet" onClick={() => onAccess(undefined)}>
            Sign out
          </button>
        </nav>
      </header>
      <Connection state={state} />
      <Tabs tabs={tabs} chosen={route.view} onChoose={route.show} />
    </>
  )
}

/** Adds the keys of the tenant's applications, with their names. */
function withApplications(keys: readonly Key[], applications: Watched['applications']): Key[] {
  const known = applications.flatMap(({ key, name, type }) =>
    key === undefined ? [] : [{ key, name, kind: type }],
  )
  return joined(keys, known.slice(0, mostKeys))
}

/** Says that the server is away, or was. */
function Connection({ state }: Pick<Watched, 'state'>) {
  const [isRead, setRead] = useState(false)
  useEffect(() => setRead(false), [state])
  if (state === 'lost') {
    return (
      <p role="alert" class="notice bad banner">
        The server does not respond. The page tries again every two seconds and goes on when it is back.
      </p>
    )
  }
  if (state !== 'back' || isRead) return null
  return (
    <p role="status" class="notice good banner">
      The server is back. If it was started again, what it had kept in memory is gone.{' '}
      <button type="button" class="small" onClick={() => setRead(true)}>
        Dismiss
      </button>
    </p>
  )
}

/** The mark of the product. */
function Mark() {
  return (
    <svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
      <rect width="16" height="16" rx="4" fill="#356ac3" />
      <path d="M4 8h8M5 5v6M11 5v6" stroke="white" stroke-width="1.6" stroke-linecap="round" fill="none" />
    </svg>
  )
}

render(<App />, document.body)
