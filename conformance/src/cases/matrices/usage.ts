import { cases } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'

const formulas = '/reactor-formulas'
const rename = (c: Context, application?: string) => ({
  name: `${c.tag} new`,
  configuration: {},
  ...(application === undefined ? {} : { application: { id: application } }),
})

/** Finds an official formula, such as one that comes with the server. */
async function firstOfficial(c: Context) {
  for (let page = 1; ; page++) {
    const reply = await c.asManagement('GET', `${formulas}?size=100&page=${page}`)
    const { data, pagination } = c.success(reply, 200).body
    const found = data.find((one: { readonly type: string }) => one.type === 'official')
    if (found || !(page < pagination.total_pages)) return found
  }
}

/** Formulas and applications that reactors use. */
export const usageCases = cases({
  'FOR-504.usage [management, applications]: a formula and an application can be deleted when the last of their reactors is, whatever changed before':
    async c => {
      const formula = await c.formula()
      const application = await c.application({ permissions: ['token:read'] })
      const members = { formula: { id: formula.id }, application: { id: application.id } }
      const [one, two] = [await c.reactor({}, members), await c.reactor({}, members)]
      c.success(await c.asManagement('PUT', `/reactors/${one.id}`, rename(c, application.id)), 200, 'a PUT')
      c.success(await c.asManagement('PATCH', `/reactors/${two.id}`, { name: c.tag }), 204, 'a PATCH')
      const remove = (path: string) => c.asManagement('DELETE', path)
      const used = [`${formulas}/${formula.id}`, `/applications/${application.id}`]
      c.success(await remove(`/reactors/${one.id}`), 204, 'the first reactor')
      for (const path of used) c.refused(await remove(path), 409, `${path}, used by one`)
      c.success(await remove(`/reactors/${two.id}`), 204, 'the second reactor')
      for (const path of used) c.success(await remove(path), 204, `${path}, not used`)
    },
  'REA-540.usage [management, applications]: an application can be deleted when its reactors have another one, or none':
    async c => {
      const made = [0, 1].map(() => c.application({ permissions: ['token:read'] }))
      const [first, second] = (await Promise.all(made)).map(({ id }) => id)
      // The case of a UUID does not matter.
      const { id } = await c.reactor({}, { application: { id: first?.toUpperCase() } })
      const put = async (application?: string) =>
        c.success(await c.asManagement('PUT', `/reactors/${id}`, rename(c, application)), 200).body
      const remove = (application?: string) => c.asManagement('DELETE', `/applications/${application}`)
      c.refused(await remove(first), 409, 'the first')
      c.equal((await put(second)).application.id, second, 'the application')
      c.success(await remove(first), 204, 'the first, no longer used')
      c.refused(await remove(second), 409, 'the second')
      await put()
      c.success(await remove(second), 204, 'the second, no longer used')
    },
  'FOR-503.official [management]: official formulas can be read and used, but not changed': async c => {
    const own = await c.formula()
    c.equal(own.type, 'private', 'type of another')
    const official = await firstOfficial(c)
    // No sentence says that there is one.
    if (!official) return
    const path = `${formulas}/${official.id}`
    c.equal(await c.get(path), official, 'the formula')
    const { name, code, configuration, request_parameters } = official
    for (const type of ['official', 'private']) {
      const body = { name, code, type, configuration, request_parameters }
      c.refused(await c.asManagement('PUT', path, body), 403, `a PUT as ${type}`)
    }
    c.refused(await c.asManagement('DELETE', path), 403, 'a DELETE')
    if (configuration.length > 0) return
    const reactor = await c.reactor({}, { formula: { id: official.id.toUpperCase() } })
    c.equal(reactor.formula.id, official.id, 'the formula of a reactor')
    c.success(await c.asManagement('PATCH', `/reactors/${reactor.id}`, { name: c.tag }), 204, 'an update')
    c.success(await c.asManagement('DELETE', `/reactors/${reactor.id}`), 204, 'deleting it')
  },
})
