class FetchError extends Error {
  override readonly name = 'FetchError'
}

class AbortError extends Error {
  override readonly name = 'AbortError'
}

/** The package `node-fetch`, whose requests are those of the sandbox, as in its build for browsers. */
const nodeFetch = (...request: Parameters<typeof fetch>): Promise<Response> => fetch(...request)

export const fetchModule = Object.assign(nodeFetch, {
  __esModule: true,
  default: nodeFetch,
  fetch: nodeFetch,
  Headers,
  Request,
  Response,
  FetchError,
  AbortError,
  isRedirect: (status: number) => [301, 302, 303, 307, 308].includes(status),
})
