/** Names the database of a URL for messages, without user, password and parameters: `vault at db.example.org:5432`. */
export function databaseName(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `${pathname.slice(1)} at ${hostname || 'localhost'}:${port || 5432}`
}
