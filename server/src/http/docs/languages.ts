/** The languages in which `/docs` shows requests beside curl and the client: the name of the file with their samples. */
export const languages = {
  python: 'Python',
  go: 'Go',
  java: 'Java',
  php: 'PHP',
  ruby: 'Ruby',
  csharp: 'C#',
} as const

export type Language = keyof typeof languages

/** What stands in samples for what is known in the browser only. */
export const placeholders = {
  origin: 'https://server.invalid',
  header: 'KEY-HEADER',
  key: 'YOUR_KEY',
  id: 'YOUR_ID',
} as const
