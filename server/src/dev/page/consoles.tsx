import { useState } from 'preact/hooks'
import { Empty, Time } from './show.tsx'
import type { Line } from './watch.ts'

/** What formulas print, as they print it, and what they printed before the page was opened. Newest first. */
export function Consoles({ lines }: { lines: readonly Line[] }) {
  const [reactor, setReactor] = useState('')
  const reactors = new Map(lines.map(line => [line.reactor_id, nameOf(line)]))
  const shown = reactor === '' ? lines : lines.filter(({ reactor_id }) => reactor_id === reactor)
  if (lines.length === 0) {
    return (
      <Empty title="No formula has printed anything yet">
        <p>
          What a formula writes with <code>console.log</code> and its like appears here. It is kept in memory
          only.
        </p>
      </Empty>
    )
  }
  return (
    <>
      <div class="toolbar">
        <select aria-label="Reactor" onChange={({ currentTarget }) => setReactor(currentTarget.value)}>
          <option value="">All reactors</option>
          {[...reactors].map(([id, name]) => (
            <option key={id} value={id} selected={id === reactor}>
              {name}
            </option>
          ))}
        </select>
        <span role="status" class="muted count">
          {shown.length === 1 ? '1 line' : `${shown.length} lines`}, newest first
        </span>
      </div>
      <ol class="lines" aria-label="Lines">
        {shown.map((line, index) => (
          <li key={`${line.at} ${index}`} class={line.level}>
            <span class="muted">
              <Time at={line.at} />
            </span>
            <span class="source" title={line.reactor_id}>
              {nameOf(line)}
            </span>
            <span class="level">{line.level}</span>
            <pre>{line.text}</pre>
          </li>
        ))}
      </ol>
    </>
  )
}

const nameOf = ({ reactor_id, reactor_name = `${reactor_id.slice(0, 8)}…` }: Line) => reactor_name
