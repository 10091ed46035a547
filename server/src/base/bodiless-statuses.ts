/** Responses with these statuses have no body (RFC 9110). */
export const bodiless: ReadonlySet<number> = new Set([204, 205, 304])
