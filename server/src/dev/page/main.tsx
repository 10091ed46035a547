import { render } from 'preact'
import { useState } from 'preact/hooks'
import { Consoles } from './consoles.tsx'
import { Faults } from './faults.tsx'
import { type Access, keepAccess, readAccess } from './keys.ts'
import { OwnKeys } from './own-keys.tsx'
import { Requests } from './requests.tsx'
import { Sessions } from './sessions.tsx'
import { Failure } from './show.tsx'
import { SignIn } from './sign-in.tsx'
import { Tabs } from './tabs.tsx'
import { Time } from './time.tsx'
import { Tokens } from './tokens.tsx'
import { useWatch } from './watch.ts'
import { Webhooks } from './webhooks.tsx'

const states = { connecting: 'connecting …', live: 'live', lost: 'not connected' }

function App() {
  const [access, setAccess] = useState(readAccess)
  const change = (next: Access | undefined) => {
    keepAccess(next)
    setAccess(next)
  }
  return access ? <Tenant access={access} onAccess={change} /> : <SignIn onAccess={change} />
}

function Tenant({ access, onAccess }: { access: Access; onAccess(next: Access | undefined): void }) {
  const { state, refusal, requests, webhooks, lines } = useWatch(access)
  const onKeys = (keys: Access['keys']) => onAccess({ ...access, keys })
  const operations = [...new Set(requests.map(({ operation }) => operation))]
  const tabs = [
    { id: 'requests', label: 'Requests', show: () => <Requests requests={requests} /> },
    { id: 'webhooks', label: 'Webhooks', show: () => <Webhooks access={access} webhooks={webhooks} /> },
    { id: 'tokens', label: 'Tokens', show: () => <Tokens access={access} /> },
    { id: 'consoles', label: 'Consoles', show: () => <Consoles access={access} lines={lines} /> },
    { id: 'sessions', label: 'Sessions', show: () => <Sessions access={access} onKeys={onKeys} /> },
    { id: 'faults', label: 'Faults', show: () => <Faults access={access} operations={operations} /> },
    { id: 'time', label: 'Time', show: () => <Time access={access} /> },
    { id: 'keys', label: 'Keys', show: () => <OwnKeys access={access} onKeys={onKeys} /> },
  ]
  return (
    <>
      <header>
        <h1>Development server</h1>
        <span role="status" class={`state ${state}`}>
          {states[state]}
        </span>
        <a href="/docs">API reference</a>
        <button type="button" onClick={() => onAccess(undefined)}>
          Forget all keys
        </button>
      </header>
      <Failure error={refusal} />
      <Tabs tabs={tabs} />
    </>
  )
}

render(<App />, document.body)
