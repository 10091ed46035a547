import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Explanation as Explained } from '../../generated/dev-client/generated/types.gen.ts'
import { Refusal } from './api.ts'
import { partsOf } from './colours.ts'

/** Shows JSON as text. */
export function Json({ value, label }: { value: unknown; label: string }) {
  const parts = partsOf(JSON.stringify(value, null, 2) ?? '')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reached from a keyboard
    <section class="json" tabIndex={0} aria-label={label}>
      <pre>
        {parts.map(([text, kind], index) =>
          kind === undefined ? (
            text
          ) : (
            <span key={index} class={kind}>
              {text}
            </span>
          ),
        )}
      </pre>
    </section>
  )
}

type Fact = readonly [name: string, value: ComponentChildren, isLong?: boolean]

/** Shows names and values, but those that are absent. Long ones have a line of their own. */
export function Facts({ of }: { of: readonly Fact[] }) {
  return (
    <dl class="facts">
      {of
        .filter(([, value]) => value !== undefined && value !== '')
        .map(([name, value, isLong]) => (
          <div key={name} class={isLong ? 'long' : undefined}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

/** A part of an opened row. */
export function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="part">
      <h3>{title}</h3>
      {children}
    </section>
  )
}

/**
 * Shows why something failed, with the server's explanation of a missing right.
 * @param isBrief leaves it out
 */
export function Failure({ error, isBrief = false }: { error: unknown; isBrief?: boolean }) {
  if (error === undefined) return null
  if (!(error instanceof Refusal)) {
    const isNetwork = error instanceof TypeError
    return (
      <p role="alert" class="notice bad">
        {isNetwork ? 'The server did not respond. Is it still running?' : String(error)}
      </p>
    )
  }
  const { status, title, detail = '', errors = {}, explanation } = error.problem
  const untold = Object.entries(errors).filter(([, reasons]) => !reasons.every(one => detail.includes(one)))
  return (
    <div role="alert" class="notice bad">
      <p>
        <strong>
          {status} {title}
        </strong>
        {detail && `: ${detail}`}
      </p>
      {untold.map(([name, reasons]) => (
        <p key={name}>
          <code>{name}</code> {reasons.join('; ')}
        </p>
      ))}
      {explanation !== undefined && status !== 400 && !isBrief && <Explanation value={explanation} />}
    </div>
  )
}

/** Shows who asked for what, and which of the caller's rights were tried. */
export function Explanation({ value }: { value: Explained }) {
  const { operation, application_type: type, session, permission, rules = [], reasons } = value
  const caller = type && `a ${type} application${session ? ', through a session' : ''}`
  return (
    <div class="explanation">
      <Facts
        of={[
          ['Asked for', operation && <code>{operation}</code>],
          ['Asked by', caller],
          ['Needs', permission && <code>{permission}</code>],
        ]}
      />
      {rules.length > 0 && (
        <ul class="rules">
          {rules.map(({ of, priority, matches, reason }, index) => (
            <li key={index}>
              <span class={matches ? 's2' : 's5'}>{matches ? '✓' : '✗'}</span>
              <span class="muted">
                {of === 'authorizer' ? 'authorizing application' : of}
                {priority === null ? '' : `, rule of priority ${priority}`}
              </span>
              {reason}
            </li>
          ))}
        </ul>
      )}
      {reasons.map(reason => (
        <p key={reason}>{reason}</p>
      ))}
    </div>
  )
}

/** Copies a text. */
export function Copy({ text, label }: { text(): string; label: string }) {
  const [state, setState] = useState(label)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text())
      setState('Copied')
    } catch {
      setState('The browser forbids it')
    }
    setTimeout(() => setState(label), 1500)
  }
  return (
    <button type="button" class="small" aria-live="polite" onClick={copy}>
      {state}
    </button>
  )
}

export function Status({ status }: { status: number | undefined }) {
  return <span class={`status s${Math.floor((status ?? 0) / 100)}`}>{status ?? 'none'}</span>
}

/** Shows the time of the day, in UTC. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {at.slice(11, 19)}
      <span class="roomy">{at.slice(19, 23)}</span>
    </time>
  )
}

/** A sentence in the place of a table that has no rows. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  )
}
