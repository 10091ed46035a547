// Shows /docs/openapi.json by Scalar, which /docs/scalar.js brings, below the first calls.
import { keyFor } from './keys.js'
import { quickstart } from './quickstart.js'

/** True on a development server: elsewhere keys are not to be typed into a page. */
const maySend = document.querySelector('meta[name=may-send]')?.content === 'true'

try {
  const answer = await fetch('/docs/openapi.json')
  if (!answer.ok) throw new Error(`the server responded with status ${answer.status}`)
  const contract = await answer.json()
  const { name: header } = contract.components.securitySchemes.ApiKey
  document.querySelector('#quickstart').append(...quickstart({ contract, header, maySend }))
  Scalar.createApiReference('#reference', {
    content: contract,
    servers: [{ url: location.origin }],
    layout: 'modern',
    defaultOpenAllTags: true,
    showOperationId: true,
    // Operations show them where they are used.
    hideModels: true,
    hideTestRequestButton: !maySend,
    // A key that was typed into the page counts; otherwise the one of this tab that may do it.
    onBeforeRequest: ({ request }) => {
      const key = request.headers.get(header) || keyFor(contract, request)
      if (key) request.headers.set(header, key)
    },
    // Nothing is loaded from, or sent to, another host.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
  })
} catch (error) {
  const text = `The contract could not be shown: ${error.message}. You can still read it: /docs/openapi.json`
  document.querySelector('#reference').replaceChildren(text)
}
