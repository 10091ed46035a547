/** Opens a response that goes on, over the wire or in process. */
export async function openStream(
  { fetch }: { fetch(url: string, init: RequestInit): Promise<Response> },
  path: string,
  key: string,
) {
  const response = await fetch(`http://vault${path}`, { headers: { 'SVC-API-KEY': key } })
  const reader = response.body?.getReader()
  if (!reader) throw new Error('no body')
  const decoder = new TextDecoder()
  let text = ''
  return {
    response,
    cancel: () => reader.cancel(),
    /** Reads until the text of the stream matches; at its end, all of it. */
    until: async (pattern?: RegExp) => {
      while (!pattern?.test(text)) {
        const { done, value } = await reader.read()
        if (done) break
        text += decoder.decode(value, { stream: true })
      }
      return text
    },
  }
}

/** Returns a `fetch` that sends what is meant for the vault to a port. */
export const overWire = (url: string) => ({
  fetch: (input: string, init: RequestInit) => fetch(input.replace('http://vault', url), init),
})
