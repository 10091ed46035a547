import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { main } from '../src/main.ts'

export const output = () => {
  const said = { text: '', write: (text: string) => (said.text += text) }
  return said
}

/** Creates two tenants of a development server. Returns them as flags of the command. */
export async function targetOf(url: string): Promise<Readonly<Record<string, string>>> {
  const tenant = async () =>
    (await (await fetch(`${url}/_dev/tenants`, { method: 'POST' })).json()) as Record<string, string>
  const [own, other] = [await tenant(), await tenant()]
  const { private_key = '', public_key = '', management_key = '', webhook_secret = '' } = own ?? {}
  return {
    'base-url': url,
    'private-key': private_key,
    'public-key': public_key,
    'management-key': management_key,
    'other-private-key': other?.private_key ?? '',
    'other-management-key': other?.management_key ?? '',
    'webhook-secret': webhook_secret,
    'clock-url': `${url}/_dev/clock`,
    'callback-host': '127.0.0.1',
    capability: 'read-your-writes',
    // Machines that run other tests at the same time are slow.
    timeout: '60000',
  }
}

/** Checks that the whole suite, run by its command, passes. */
export async function conformsOverTheWire(
  t: Test,
  target: Readonly<Record<string, string>>,
  report: string,
): Promise<void> {
  const flags = Object.entries(target).flatMap(([name, value]) => [`--${name}`, value])
  const [out, err] = [output(), output()]
  const code = await main([...flags, '--profile', 'surrogate', '--report', report], {}, out, err)
  // The findings of a case are indented below it.
  const lines = out.text.split('\n').filter(line => /^not ok|^Bail|^# | {2}\w+: /.test(line))
  // Bodies of a megabyte would hide what failed.
  const shown = lines.map(line => line.slice(0, 300)).join('\n')
  t.equal(code, 0, shown)
  t.match(shown, /^# verdict: core: (\d+) of \1, conformant; surrogate: (\d+) of \2, conformant$/m)
  t.notMatch(shown, /could not be deleted/, 'everything that the cases created is deleted')
  const said = JSON.parse(await readFile(join(report, 'report.json'), 'utf8'))
  t.same(
    said.cases
      .filter((one: { outcome: string }) => one.outcome !== 'pass')
      .map((one: { id: string; outcome: string }) => `${one.outcome} ${one.id}`),
    [],
    'no case was skipped',
  )
  t.comment(`${said.cases.length} cases in ${said.duration_ms} ms`)
}
