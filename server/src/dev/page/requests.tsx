import { isOwn, keyHeader, send, useAction } from './api.ts'
import type { Access } from './keys.ts'
import { Copy, Empty, Explanation, Facts, Failure, Json, Part, Status, Time } from './show.tsx'
import { type Column, Table } from './table.tsx'
import type { Route } from './tabs.tsx'
import type { Request, Watched } from './watch.ts'

/** Which requests are shown. Kept while other views are shown. */
interface Filter {
  readonly text: string
  /** The first digit of the status; `0` if there was none. */
  readonly status: string
  /** The requests at the time of the pause. */
  readonly paused?: readonly Request[] | undefined
  /** The number of the last request that was cleared away. */
  readonly cleared: number
  readonly withOwn: boolean
}

export const everything: Filter = { text: '', status: '', cleared: 0, withOwn: false }

interface Props {
  readonly access: Access
  readonly watched: Watched
  readonly route: Route
  readonly filter: Filter
  onFilter(filter: Filter): void
}

const statuses = [
  ['', 'Any status'],
  ['2', '2xx'],
  ['4', '4xx'],
  ['5', '5xx'],
  ['0', 'No response'],
] as const

/** The requests of the tenant as they come. */
export function Requests({ access, watched, route, filter, onFilter }: Props) {
  const { requests, applications } = watched
  const nameOf = (id: string) => applications.find(one => one.id === id)?.name ?? `${id.slice(0, 8)}…`
  // A server that has started again counts from 1.
  const cleared = filter.cleared > (requests[0]?.number ?? 0) ? 0 : filter.cleared
  const all = (filter.paused ?? requests).filter(
    one => one.number > cleared && (filter.withOwn || !isOwn(one)),
  )
  const words = filter.text.toLowerCase().split(/\s+/)
  const shown = all.filter(
    one => isOfStatus(one, filter.status) && words.every(word => textOf(one, nameOf).includes(word)),
  )
  const missed = filter.paused ? (requests[0]?.number ?? 0) - (filter.paused[0]?.number ?? 0) : 0
  return (
    <>
      <div class="toolbar">
        <input
          type="search"
          class="grow"
          aria-label="Filter requests"
          placeholder="Filter by path, operation, application, error or trace"
          value={filter.text}
          onInput={({ currentTarget }) => onFilter({ ...filter, text: currentTarget.value })}
        />
        <select
          aria-label="Status"
          onChange={({ currentTarget }) => onFilter({ ...filter, status: currentTarget.value })}
        >
          {statuses.map(([value, label]) => (
            <option key={value} value={value} selected={value === filter.status}>
              {label}
            </option>
          ))}
        </select>
        <label class="check">
          <input
            type="checkbox"
            checked={filter.withOwn}
            onChange={({ currentTarget }) => onFilter({ ...filter, withOwn: currentTarget.checked })}
          />
          Include what this page reads
        </label>
        <span role="status" class="muted count">
          {shown.length === all.length ? counted(all.length) : `${shown.length} of ${counted(all.length)}`}
        </span>
        <button
          type="button"
          aria-pressed={filter.paused !== undefined}
          onClick={() => onFilter({ ...filter, paused: filter.paused ? undefined : requests })}
        >
          {filter.paused ? `Resume${missed > 0 ? ` (${missed} new)` : ''}` : 'Pause'}
        </button>
        <button
          type="button"
          disabled={all.length === 0}
          onClick={() => onFilter({ ...filter, cleared: all[0]?.number ?? 0 })}
        >
          Clear
        </button>
      </div>
      {all.length === 0 ? (
        <None access={access} />
      ) : shown.length === 0 ? (
        <Empty title="No request matches">
          <button type="button" onClick={() => onFilter({ ...filter, text: '', status: '' })}>
            Show all
          </button>
        </Empty>
      ) : (
        <Table
          label="Requests"
          columns={columnsWith(nameOf)}
          rows={shown}
          idOf={({ number }) => String(number)}
          route={route}
          detail={request => <Detail watched={watched} request={request} />}
        />
      )}
    </>
  )
}

function columnsWith(nameOf: (id: string) => string): Column<Request>[] {
  return [
    { label: 'Time', width: 'time', show: ({ at }) => <Time at={at} /> },
    {
      label: 'Method',
      width: 'method',
      show: ({ method }) => <span class={`verb ${method.toLowerCase()}`}>{method}</span>,
    },
    { label: 'Path', width: 'path', show: ({ path }) => <code title={path}>{path}</code> },
    { label: 'Operation', width: 'operation', from: 'laptop', show: ({ operation }) => operation },
    {
      label: 'Application',
      width: 'application',
      from: 'laptop',
      show: ({ application_id, session, formula }) => (
        <>
          {nameOf(application_id)} {session !== undefined && <span class="badge">session</span>}
          {formula && <span class="badge">formula</span>}
        </>
      ),
    },
    {
      label: 'Status',
      width: 'outcome',
      show: ({ status, error, faulty }) => (
        <>
          <Status status={status} /> <span class="muted roomy">{shortOf(error)}</span>{' '}
          {faulty && <span class="badge roomy">fault</span>}
        </>
      ),
    },
    {
      label: 'Duration',
      width: 'duration',
      from: 'tablet',
      show: ({ duration_ms }) => `${duration_ms.toFixed(1)} ms`,
    },
  ]
}

const counted = (count: number) => `${count} ${count === 1 ? 'request' : 'requests'}`

const shortOf = (error = '') => error.replace('urn:surrogate:error:', '')

const isOfStatus = ({ status }: Request, wanted: string) =>
  wanted === '' || String(Math.floor((status ?? 0) / 100)) === wanted

function textOf(request: Request, nameOf: (id: string) => string): string {
  const { method, path, operation, application_id, status, error, trace_id, faulty, formula } = request
  const marks = `${faulty ? 'fault' : ''} ${formula ? 'formula' : ''}`
  return `${method} ${path} ${operation} ${nameOf(application_id)} ${status} ${shortOf(error)} ${trace_id} ${marks}`.toLowerCase()
}

interface DetailProps extends Pick<Props, 'watched'> {
  readonly request: Request
}

function Detail({ watched, request }: DetailProps) {
  const { application_id, duration_ms, explanation, body, masks, session, idempotency_key, trace_id } =
    request
  const application = watched.applications.find(({ id }) => id === application_id)
  return (
    <>
      <div class="actions">
        <Copy label="Copy as curl" text={() => curlOf(request, application?.key)} />
        <Copy label="Copy trace id" text={() => trace_id} />
      </div>
      {explanation && (
        <Part title="Why it was refused">
          <Explanation value={explanation} />
        </Part>
      )}
      <Facts
        of={[
          ['Operation', <code>{request.operation}</code>],
          ['Application', application ? `${application.name} (${application.type})` : application_id],
          ['Made by', request.formula ? 'a formula' : undefined],
          ['Session', session],
          ['Error', shortOf(request.error)],
          ['Fault', request.faulty ? 'ordered' : undefined],
          ['Duration', `${duration_ms.toFixed(3)} ms`],
          ['Received', request.at],
          ['Idempotency key', idempotency_key],
          ['Trace id', <code>{trace_id}</code>, true],
        ]}
      />
      {body !== undefined && (
        <Part title="Body, with types in the place of values">
          <Json label="Body" value={body} />
        </Part>
      )}
      {masks !== undefined && (
        <Part title="Expressions of masks that gave nothing">
          <Json label="Masks" value={masks} />
        </Part>
      )}
    </>
  )
}

/** What is shown before the first request: a way to make one. */
function None({ access }: { access: Access }) {
  const { error, isBusy, run } = useAction()
  const key = access.keys.find(({ kind }) => kind === 'private')?.key
  const create = () =>
    run(async () => {
      const data = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }
      await send(access, key, 'POST', '/tokens', { type: 'card', data })
    })
  return (
    <Empty title="Waiting for requests">
      <p>Each request of this tenant appears here as soon as it is answered.</p>
      <Failure error={error} />
      {key !== undefined && (
        <button type="button" class="primary" disabled={isBusy} onClick={create}>
          Store a card now
        </button>
      )}
    </Empty>
  )
}

/**
 * Returns a command that makes a request like this one. What the caller put into it is not kept: an id that names
 * nothing is a variable of the shell, and values of the body are their types.
 * @param key of the application that made it, if it is known
 */
function curlOf({ method, path, body, idempotency_key }: Request, key: string | undefined): string {
  const address = `${location.origin}${path.replace(/{(\w+)}/g, (_, name) => `$${name.toUpperCase()}`)}`
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}"${address}"`]
  lines.push(key === undefined ? `-H "${keyHeader}: $KEY"` : `-H ${quoted(`${keyHeader}: ${key}`)}`)
  if (idempotency_key !== undefined) {
    lines.push(`-H ${quoted(`${keyHeader.replace('API', 'IDEMPOTENCY')}: ${idempotency_key}`)}`)
  }
  if (body !== undefined) {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    lines.push(`-H 'Content-Type: ${type}'`, `-d ${quoted(JSON.stringify(body, null, 2))}`)
  }
  return lines.join(' \\\n  ')
}

/** Writes a text so that a shell takes it as it is. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
