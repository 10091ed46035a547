import type { ComponentChildren } from 'preact'
import { type Key, type Kind, labelOf } from './keys.ts'

/** The fields that were filled in, by name. */
type Fields = Readonly<Record<string, string>>

interface FormProps {
  readonly label: string
  readonly isBusy?: boolean
  /** True for the main action of a view. */
  readonly isPrimary?: boolean
  readonly children?: ComponentChildren
  onSend(fields: Fields): void
}

/** A form with a button. Its fields are read when it is sent; nothing leaves the page by itself. */
export function Form({ label, isBusy = false, isPrimary = false, children, onSend }: FormProps) {
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        const entries = [...new FormData(event.currentTarget)].map(([name, value]) => [
          name,
          String(value).trim(),
        ])
        onSend(Object.fromEntries(entries.filter(([, value]) => value !== '')))
      }}
    >
      {children}
      <button type="submit" class={isPrimary ? 'primary' : undefined} disabled={isBusy}>
        {label}
      </button>
    </form>
  )
}

interface FieldProps {
  readonly label: string
  readonly name: string
  readonly type?: 'text' | 'number' | 'password'
  readonly value?: string
  readonly placeholder?: string
  readonly required?: boolean
  /** A class of the label: how wide it is. */
  readonly width?: string
  readonly list?: readonly string[]
}

export function Field({ label, name, list, width, type = 'text', ...rest }: FieldProps) {
  const suggestions = list && `${name}-list`
  // The types of Preact allow suggestions for some types only, which cannot be told apart here.
  const attributes = { type, list: suggestions, ...rest } as { readonly type: 'text' }
  return (
    <label class={width}>
      <span>{label}</span>
      <input name={name} autocomplete="off" spellcheck={false} {...attributes} />
      {list && (
        <datalist id={suggestions}>
          {list.map(one => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </label>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly name: string
  readonly among: readonly (readonly [value: string, shown: string])[]
  readonly value?: string | undefined
  readonly width?: string
}

export function Choice({ label, name, among, value, width }: ChoiceProps) {
  return (
    <label class={width}>
      <span>{label}</span>
      <select name={name}>
        {among.map(([each, shown]) => (
          <option key={each} value={each} selected={each === value}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  )
}

interface KeyChoiceProps {
  readonly label: string
  readonly keys: readonly Key[]
  /** The kind of key that may do it. */
  readonly prefer: Kind
}

/** A choice of one of the tenant's keys: those that may do it come first. */
export function KeyChoice({ label, keys, prefer }: KeyChoiceProps) {
  const fitting = keys.filter(({ kind }) => kind === prefer)
  const among = [...fitting, ...keys.filter(one => !fitting.includes(one))]
  return (
    <Choice
      label={label}
      name="key"
      width="medium"
      among={among.map(one => [one.key, labelOf(one)] as const)}
      value={among[0]?.key}
    />
  )
}
