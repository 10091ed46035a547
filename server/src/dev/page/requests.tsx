import { Entry, Explanation, Json, timeOf } from './show.tsx'
import type { Request } from './watch.ts'

/** The requests of the tenant as they come. */
export function Requests({ requests }: { requests: readonly Request[] }) {
  if (requests.length === 0) return <p>No request has come yet. Each appears here when it is answered.</p>
  return (
    <div aria-live="polite" aria-relevant="additions">
      {requests.map(request => (
        <Entry key={request.number} summary={<Line request={request} />}>
          {request.explanation && <Explanation value={request.explanation} />}
          <Json value={{ ...request, explanation: undefined }} />
        </Entry>
      ))}
    </div>
  )
}

function Line({ request }: { request: Request }) {
  const { at, operation, status, duration_ms, error, faulty, formula, trace_id } = request
  const marks = [
    formula && 'by a formula',
    faulty && 'ordered fault',
    error?.replace('urn:surrogate:error:', ''),
  ]
  return (
    <>
      <time dateTime={at}>{timeOf(at)}</time> <Status status={status} /> <code>{operation}</code>{' '}
      <span class="muted">
        {duration_ms.toFixed(1)} ms {marks.filter(Boolean).join(', ')} trace {trace_id}
      </span>
    </>
  )
}

export function Status({ status }: { status: number | undefined }) {
  return <span class={`status s${Math.floor((status ?? 0) / 100)}`}>{status ?? 'none'}</span>
}
