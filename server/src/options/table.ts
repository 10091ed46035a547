import { keyLength } from '../crypto/envelope.ts'
import { headerPrefix } from '../generated/facts.ts'
import { storageUrls, usualStorage } from '../storage/location.ts'
import { VaultOptionsError } from './errors.ts'
import { booleanFlag, type Flag, listFlag, secretFlag, textFlag } from './flag.ts'
import {
  boolean,
  browserOrigins,
  days,
  headerPrefixKind,
  isRecord,
  type Kind,
  modules,
  networks,
  originMap,
  origins,
  path,
  publicOrigins,
  text,
  token,
} from './kinds.ts'
import { defaultAuditRetentionDays, refuseUnknown, type VaultOptions } from './vault-options.ts'

/** An option of a vault, and how the program and profiles name it. */
export interface Option<Value> extends Kind<Value> {
  readonly flag?: Flag
  /** The member of a profile, which editors describe by this text. */
  readonly profile?: { readonly name: string; readonly description: string }
}

type OptionTable = { readonly [Name in keyof VaultOptions]-?: Option<NonNullable<VaultOptions[Name]>> }

/**
 * All options. Flags, variables, help, checks, and the members of profiles with their JSON Schema are made of this table.
 * Help shows flags in its order.
 */
export const options: OptionTable = {
  storage: { ...text, flag: secretFlag('storage', 'URL', storageUrls, usualStorage) },
  masterKey: {
    accepts: value => ArrayBuffer.isView(value) && value.byteLength === keyLength,
    expected: 'a Uint8Array of 32 bytes',
  },
  bootstrap: {
    accepts: () => true,
    expected: 'JSON',
    // The path of the file.
    ofFlag: given => given as string | undefined,
    flag: textFlag(
      'bootstrap',
      'FILE',
      'JSON file of tenants and what they have, applied at each start and SIGHUP',
    ),
  },
  profile: {
    ...text,
    flag: textFlag('profile', 'FILE', 'YAML file that makes code written for another service run'),
  },
  dialect: { accepts: isRecord, expected: 'a part of a profile' },
  headerPrefix: {
    ...headerPrefixKind,
    flag: textFlag('header-prefix', 'NAME', 'first part of header names, as in SVC-API-KEY', headerPrefix),
    profile: { name: 'header_prefix', description: 'The first part of header names.' },
  },
  dev: {
    ...boolean,
    flag: booleanFlag('dev', 'test server: makes keys, opens endpoints under /_dev; loopback only'),
  },
  devToken: {
    ...token,
    flag: secretFlag('dev-token', 'TOKEN', 'protects /_dev, so that --dev may listen on any --host'),
  },
  strict: {
    ...boolean,
    flag: booleanFlag('strict', 'refuse members of requests that the contract does not name'),
  },
  developmentTenant: boolean,
  allowPrivateCallbacks: {
    ...boolean,
    flag: booleanFlag('allow-private-callbacks', 'allow webhooks to http URLs and private addresses'),
    profile: {
      name: 'allow_private_callbacks',
      description: 'True to allow webhooks to http URLs and private addresses.',
    },
  },
  formulaAllowOrigins: {
    ...origins,
    flag: listFlag('formula-allow-origin', 'ORIGIN', 'origin that formulas may fetch from'),
  },
  formulaMapOrigins: {
    ...originMap,
    flag: listFlag('formula-map-origin', 'A=B', 'send what formulas fetch from origin A to origin B'),
    profile: {
      name: 'origins',
      description: 'Origins that formulas fetch from, and where these requests are sent.',
    },
  },
  formulaModules: {
    ...modules,
    flag: listFlag('formula-module', 'NAME[=TARGET]', 'package that formulas may require'),
    profile: {
      name: 'modules',
      description: 'Packages that formulas may require, and what each stands for.',
    },
  },
  formulaClient: {
    ...path,
    flag: textFlag('formula-client', 'FILE', 'wraps the client that formulas get'),
    profile: { name: 'client', description: 'A file that wraps the client which formulas get.' },
  },
  proxyAllowOrigins: {
    ...publicOrigins({ option: 'proxyMapOrigins', flag: '--proxy-map-origin', member: 'proxy_map_origins' }),
    flag: listFlag('proxy-allow-origin', 'ORIGIN', 'origin that /proxy may send requests on to'),
    profile: {
      name: 'proxy_allow_origins',
      description: 'Public origins that /proxy may send requests on to.',
    },
  },
  proxyMapOrigins: {
    ...originMap,
    flag: listFlag('proxy-map-origin', 'A=B', 'send what /proxy gets for origin A to origin B'),
    profile: {
      name: 'proxy_map_origins',
      description: 'Origins that /proxy gets requests for, and where these are sent.',
    },
  },
  corsOrigins: {
    ...browserOrigins,
    flag: listFlag('cors-origin', 'ORIGIN', 'origin that browsers may call from'),
  },
  trustedProxies: {
    ...networks,
    flag: listFlag('trusted-proxy', 'CIDR', 'proxy whose X-Forwarded-For or Forwarded names the client'),
  },
  auditRetentionDays: {
    ...days,
    flag: textFlag(
      'audit-retention',
      'DAYS',
      'days that audit log entries are kept',
      String(defaultAuditRetentionDays),
    ),
  },
  requireIsolation: {
    ...boolean,
    flag: booleanFlag('require-isolation', 'refuse to start if this host cannot fully isolate formulas'),
  },
  warmFormulas: boolean,
  metrics: boolean,
  log: {
    accepts: value =>
      isRecord(value) &&
      ['info', 'warn', 'error'].every(
        level => typeof (value as Record<string, unknown>)[level] === 'function',
      ),
    expected: 'an object with the functions info, warn and error',
  },
  seed: { accepts: value => Number.isSafeInteger(value), expected: 'a whole number' },
  now: {
    accepts: value => typeof value === 'function',
    expected: 'a function that returns epoch milliseconds',
  },
}

/**
 * Refuses options that are unknown or ill-typed. An option that is `undefined` counts as absent.
 * @throws {VaultOptionsError}
 */
export function checkOptions(given: VaultOptions): void {
  if (typeof given !== 'object' || given === null) {
    throw new VaultOptionsError("the options must be an object, such as { storage: 'memory:' }")
  }
  refuseUnknown(given, Object.keys(options))
  for (const [name, value] of Object.entries(given)) {
    const { accepts, expected } = options[name as keyof VaultOptions]
    if (value !== undefined && !accepts(value)) throw new VaultOptionsError(`${name} must be ${expected}`)
  }
}
