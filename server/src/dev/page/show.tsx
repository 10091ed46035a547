import type { ComponentChildren } from 'preact'
import { Refusal } from './api.ts'

/** Shows JSON as text. */
export function Json({ value }: { value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reached from a keyboard
    <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
  )
}

/** Shows JSON as nested lists, for people. */
export function Tree({ value }: { value: unknown }) {
  if (Array.isArray(value)) {
    return (
      <ul>
        {value.map((item, index) => (
          <li key={index}>
            <Tree value={item} />
          </li>
        ))}
      </ul>
    )
  }
  if (typeof value !== 'object' || value === null) return <span class="value">{String(value)}</span>
  return (
    <dl>
      {Object.entries(value)
        .filter(hasContent)
        .map(([name, member]) => (
          <div key={name}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd>
              <Tree value={member} />
            </dd>
          </div>
        ))}
    </dl>
  )
}

const hasContent = ([, member]: [string, unknown]) => !Array.isArray(member) || member.length > 0

/** Shows why something failed, with whatever explanation the server gave. */
export function Failure({ error }: { error: unknown }) {
  if (error === undefined) return null
  if (!(error instanceof Refusal)) return <p role="alert">{String(error)}</p>
  const { status, title, detail, errors, explanation } = error.problem as typeof error.problem & {
    explanation?: unknown
  }
  return (
    <div role="alert" class="refusal">
      <p>
        <strong>
          {status} {title}:
        </strong>{' '}
        {detail}
      </p>
      {errors !== undefined && <Tree value={errors} />}
      {explanation !== undefined && <Explanation value={explanation} />}
    </div>
  )
}

export function Explanation({ value }: { value: unknown }) {
  return (
    <section class="explanation">
      <h3>Explanation</h3>
      <Tree value={value} />
    </section>
  )
}

/** A line that opens to show more. */
export function Entry({ summary, children }: { summary: ComponentChildren; children: ComponentChildren }) {
  return (
    <details>
      <summary>{summary}</summary>
      {children}
    </details>
  )
}

export const timeOf = (at: string) => at.slice(11, 23)
