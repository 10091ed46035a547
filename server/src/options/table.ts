import type { JsonObject } from '../base/json/json.ts'
import { requireCodeGeneration } from '../contract/code-generation.ts'
import { headerPrefix } from '../generated/facts.ts'
import { storageUrls, usualStorage } from '../storage/location.ts'
import { faultOf } from './check.ts'
import { VaultOptionsError } from './errors.ts'
import { booleanFlag, type Flag, listFlag, secretFlag, textFlag } from './flag.ts'
import * as schemas from './schemas.ts'
import { defaultAuditRetentionDays, refuseUnknown, type VaultOptions } from './vault-options.ts'

/** An option, and how the program and profiles name it. */
export interface Option {
  readonly schema: JsonObject
  readonly flag?: Flag
  /** The member of a profile, which editors describe by this text. Its schema is that of the option, or one of its own. */
  readonly profile?: { readonly name: string; readonly description: string; readonly schema?: JsonObject }
}

/**
 * All options of a vault. Flags, variables, help, checks, and the members of profiles with their JSON Schema are made of
 * this table. Help shows flags in its order.
 */
export const options: Readonly<Record<keyof VaultOptions, Option>> = {
  storage: { schema: schemas.text, flag: secretFlag('storage', 'URL', storageUrls, usualStorage) },
  masterKey: { schema: schemas.masterKey },
  // By flag, the path of the file.
  bootstrap: {
    schema: {},
    flag: textFlag(
      'bootstrap',
      'FILE',
      'JSON file of tenants and what they have, applied at each start and SIGHUP',
    ),
  },
  profile: {
    schema: schemas.text,
    flag: textFlag('profile', 'FILE', 'YAML file that makes code written for another service run'),
  },
  dialect: { schema: { type: 'object', 'x-expected': 'a part of a profile' } },
  headerPrefix: {
    schema: schemas.headerPrefix,
    flag: textFlag('header-prefix', 'NAME', 'first part of header names, as in SVC-API-KEY', headerPrefix),
    profile: { name: 'header_prefix', description: 'The first part of header names.' },
  },
  dev: {
    schema: schemas.boolean,
    flag: booleanFlag('dev', 'test server: makes keys, opens endpoints under /_dev; loopback only'),
  },
  devToken: {
    schema: schemas.token,
    flag: secretFlag('dev-token', 'TOKEN', 'protects /_dev, so that --dev may listen on any --host'),
  },
  strict: {
    schema: schemas.boolean,
    flag: booleanFlag('strict', 'refuse members of requests that the contract does not name'),
  },
  developmentTenant: { schema: schemas.boolean },
  allowPrivateCallbacks: {
    schema: schemas.boolean,
    flag: booleanFlag('allow-private-callbacks', 'allow webhooks to http URLs and private addresses'),
    profile: {
      name: 'allow_private_callbacks',
      description: 'True to allow webhooks to http URLs and private addresses.',
    },
  },
  formulaAllowOrigins: {
    schema: schemas.origins,
    flag: listFlag('formula-allow-origin', 'ORIGIN', 'origin that formulas may fetch from'),
  },
  formulaMapOrigins: {
    schema: schemas.originMap,
    flag: listFlag('formula-map-origin', 'A=B', 'send what formulas fetch from origin A to origin B'),
    profile: {
      name: 'origins',
      description: 'Origins that formulas fetch from, and where these requests are sent.',
    },
  },
  formulaModules: {
    schema: schemas.modules,
    flag: listFlag('formula-module', 'NAME[=TARGET]', 'package that formulas may require'),
    profile: {
      name: 'modules',
      description: 'Packages that formulas may require, and what each stands for.',
      schema: {
        type: 'object',
        additionalProperties: { type: 'string' },
        'x-expected': 'an object of names and what they stand for',
      },
    },
  },
  formulaClient: {
    schema: schemas.path,
    flag: textFlag('formula-client', 'FILE', 'wraps the client that formulas get'),
    profile: { name: 'client', description: 'A file that wraps the client which formulas get.' },
  },
  proxyAllowOrigins: {
    schema: schemas.publicOrigins('proxyMapOrigins or --proxy-map-origin'),
    flag: listFlag('proxy-allow-origin', 'ORIGIN', 'origin that /proxy may send requests on to'),
    profile: {
      name: 'proxy_allow_origins',
      description: 'Public origins that /proxy may send requests on to.',
      schema: schemas.publicOrigins('proxy_map_origins'),
    },
  },
  proxyMapOrigins: {
    schema: schemas.originMap,
    flag: listFlag('proxy-map-origin', 'A=B', 'send what /proxy gets for origin A to origin B'),
    profile: {
      name: 'proxy_map_origins',
      description: 'Origins that /proxy gets requests for, and where these are sent.',
    },
  },
  corsOrigins: {
    schema: schemas.pages,
    flag: listFlag('cors-origin', 'ORIGIN', 'origin that browsers may call from'),
  },
  trustedProxies: {
    schema: schemas.networks,
    flag: listFlag('trusted-proxy', 'CIDR', 'proxy whose X-Forwarded-For or Forwarded names the client'),
  },
  auditRetentionDays: {
    schema: schemas.whole(1, 999_999, ' of days'),
    flag: textFlag(
      'audit-retention',
      'DAYS',
      'days that audit log entries are kept',
      String(defaultAuditRetentionDays),
    ),
  },
  requireIsolation: {
    schema: schemas.boolean,
    flag: booleanFlag('require-isolation', 'refuse to start if this host cannot fully isolate formulas'),
  },
  warmFormulas: { schema: schemas.boolean },
  metrics: { schema: schemas.boolean },
  log: { schema: schemas.log },
  seed: { schema: { type: 'integer', 'x-expected': 'a whole number' } },
  now: { schema: schemas.now },
}

/**
 * Refuses options that are unknown or ill-typed. An option that is `undefined` counts as absent.
 * @throws {VaultOptionsError | CodeGenerationForbidden}
 */
export function checkOptions(given: VaultOptions): void {
  requireCodeGeneration()
  if (typeof given !== 'object' || given === null) {
    throw new VaultOptionsError("the options must be an object, such as { storage: 'memory:' }")
  }
  refuseUnknown(given, Object.keys(options))
  for (const [name, value] of Object.entries(given)) {
    const { schema, flag } = options[name as keyof VaultOptions]
    const text = typeof value === 'number' ? `${value}` : value
    const isDefault = value === undefined || text === flag?.default
    const fault = isDefault ? undefined : faultOf(name, schema, value)
    if (fault !== undefined) throw new VaultOptionsError(fault)
  }
}
