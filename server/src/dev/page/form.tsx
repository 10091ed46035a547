import type { ComponentChildren } from 'preact'
import type { Key } from './keys.ts'

/** The fields that were filled in, by name. */
type Fields = Readonly<Record<string, string>>

interface FormProps {
  readonly label: string
  readonly isBusy?: boolean
  readonly children?: ComponentChildren
  onSend(fields: Fields): void
}

/** A form with a button. Its fields are read when it is sent; nothing leaves the page by itself. */
export function Form({ label, isBusy = false, children, onSend }: FormProps) {
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
      <button type="submit" disabled={isBusy}>
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
  readonly list?: readonly string[]
}

export function Field({ label, name, list, type = 'text', ...rest }: FieldProps) {
  const suggestions = list && `${name}-list`
  // The types of Preact allow suggestions for some types only, which cannot be told apart here.
  const attributes = { type, list: suggestions, ...rest } as { readonly type: 'text' }
  return (
    <label>
      {label}
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
  readonly value?: string
}

export function Choice({ label, name, among, value }: ChoiceProps) {
  return (
    <label>
      {label}
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

/** A choice of one of the keys that were typed in. */
export function KeyChoice({ label, keys, prefer }: { label: string; keys: readonly Key[]; prefer: string }) {
  const among = keys.map(({ key, label }) => [key, label] as const)
  const preferred = keys.find(one => one.label.startsWith(prefer))?.key
  return (
    <Choice
      label={label}
      name="key"
      among={among}
      {...(preferred === undefined ? {} : { value: preferred })}
    />
  )
}
