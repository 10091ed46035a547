// The files of the published SDK. With a bundler, import from '@surrogate/sdk'.
import { AuthenticationError, BadRequestError, Surrogate } from '/sdk/index.js'

const form = document.querySelector('#card')
const showButton = document.querySelector('#show')
const show = (id, text) => {
  document.querySelector(id).textContent = text
}

const { baseUrl, publicKey } = await (await fetch('/settings.json')).json()
const surrogate = new Surrogate({ apiKey: publicKey, baseUrl })

/** The client with the permissions that the backend has granted to this page. */
let session
let tokenId

/** Creates the session of this visit. The backend gets its nonce, never its key. */
async function openSession() {
  const { session_key, nonce } = await surrogate.sessions.create()
  const response = await fetch('/checkout', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ nonce }),
  })
  if (!response.ok) throw new Error(`the shop responded with ${response.status}`)
  session = surrogate.withSession(session_key)
  tokenId = (await response.json()).token_id
}

form.addEventListener('submit', event => {
  event.preventDefault()
  run(async () => {
    const { number, month, year } = Object.fromEntries(new FormData(form))
    await openSession()
    // The card is sent to Surrogate only; the shop gets the token.
    const token = await session.tokens.create({
      id: tokenId,
      type: 'card',
      data: {
        number: number.replaceAll(/\D/g, ''),
        expiration_month: Number(month),
        expiration_year: Number(year),
      },
    })
    form.reset()
    show('#token', token.id)
    show('#shown', token.data.number)
    showButton.disabled = false
    return 'The card is stored.'
  })
})

showButton.addEventListener('click', () =>
  run(async () => {
    const { data } = await session.tokens.get(tokenId)
    show('#shown', data.number)
    return 'This is the card as it was stored.'
  }),
)

async function run(task) {
  show('#message', '…')
  try {
    show('#message', await task())
  } catch (error) {
    show('#message', explain(error))
  }
}

function explain(error) {
  if (error instanceof BadRequestError)
    return Object.entries(error.errors)
      .map(([name, texts]) => `${name} ${texts}`)
      .join('; ')
  if (error instanceof AuthenticationError) return 'Your session has ended. Please enter the card again.'
  return `That did not work: ${error.message}`
}

document.body.dataset.ready = 'true'
