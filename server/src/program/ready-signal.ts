import { readFileSync, rmSync } from 'node:fs'
import type { VaultFacts } from '../assembly/facts.ts'
import { writeDurably } from '../base/durable-file.ts'
import { ConfigError } from '../options/errors.ts'
import { version } from '../version.ts'

/** What other programs need to know of a server that is ready, as JSON in one line. */
export function readyFacts(
  url: string,
  metricsUrl: string | undefined,
  { development, madeMasterKey }: VaultFacts,
): string {
  return JSON.stringify({
    message: `surrogate-server ${version} listening on ${url}`,
    url,
    ...(metricsUrl === undefined ? {} : { metrics_url: `${metricsUrl}/metrics` }),
    pid: process.pid,
    ...(madeMasterKey === undefined ? {} : { made_master_key: madeMasterKey }),
    ...(development && {
      tenant_id: development.tenantId,
      public_key: development.publicKey,
      private_key: development.privateKey,
      management_key: development.managementKey,
      webhook_secret: development.webhookSecret,
    }),
  })
}

/**
 * The file of `--ready-file`: it exists while the server is ready. It may hold keys, so only its owner may read it.
 * What an earlier process left is removed at once, so that nobody takes it for this one's.
 */
export class ReadyFile {
  readonly #path: string

  /** @throws {ConfigError} */
  constructor(path: string) {
    this.#path = path
    this.#try(() => rmSync(path, { force: true }))
  }

  /** Writes the file atomically. It is removed when this process exits. @throws {ConfigError} */
  async write(facts: string): Promise<void> {
    await writeDurably(this.#path, `${facts}\n`).catch(() => this.#refuse())
    process.once('exit', () => this.remove())
  }

  /** Removes the file, unless another server has written it since. */
  remove(): void {
    try {
      const { pid } = JSON.parse(readFileSync(this.#path, 'utf8'))
      if (pid === process.pid) rmSync(this.#path, { force: true })
    } catch {
      // It is gone already.
    }
  }

  #try(act: () => void): void {
    try {
      act()
    } catch {
      this.#refuse()
    }
  }

  #refuse(): never {
    throw new ConfigError(`the ready file ${this.#path} cannot be written`)
  }
}
