import { Applications } from '../access/applications.ts'
import type { TenantsContext } from '../access/tenants.ts'
import { AuditRecorder } from '../audit/recorder.ts'
import { Semaphores } from '../base/flow/semaphore.ts'
import { reactorChangeLimits } from '../base/limits.ts'
import { Validators } from '../contract/validators.ts'
import { createCallbackSender, observeDelivery } from '../egress/callback-sender.ts'
import { createExpressions } from '../expressions/engine.ts'
import type { Core } from '../http/pipeline/core.ts'
import { type HeaderNames, headerNamesOf } from '../http/pipeline/header-names.ts'
import { serviceTransport } from '../http/transport/service-transport.ts'
import type { RequestProxy } from '../proxy/proxy.ts'
import { FormulaConsole } from '../reactors/console.ts'
import { performJob } from '../reactors/jobs.ts'
import type { ReactorsContext } from '../reactors/reactors-context.ts'
import type { FormulaSandbox } from '../sandbox/create.ts'
import { observeSandbox } from '../sandbox/sandbox.ts'
import { endSessionsOf } from '../sessions/end.ts'
import type { TokensContext } from '../tokens/tokens-context.ts'
import { createWebhooks, type Webhooks } from '../webhooks/webhooks.ts'
import type { Performer } from '../webhooks/webhooks-context.ts'
import type { DevTools } from './dev-tools.ts'
import { openSandbox } from './formulas.ts'
import type { Stores } from './stores.ts'

/** The contexts of the features. */
export interface Domain extends Stores {
  readonly headerNames: HeaderNames
  readonly validators: Validators
  readonly audit: AuditRecorder
  readonly applications: Applications
  readonly tenants: TenantsContext
  readonly tokens: TokensContext
  readonly sandbox: FormulaSandbox
  readonly console: FormulaConsole | undefined
  readonly webhooks: Webhooks
  /** Absent unless this is a development server. */
  readonly tools: DevTools | undefined
  readonly performer: Performer
  readonly reactors: ReactorsContext
  /** Absent unless an option allows an origin. */
  readonly requestProxy: RequestProxy | undefined
}

/** @param core returns the core, which serves the requests of formulas and is made after the domain */
export async function createDomain(stores: Stores, core: () => Core): Promise<Domain> {
  const { options, parts, headerPrefix, dev, clock, random, randomOf } = stores
  const headerNames = headerNamesOf(headerPrefix)
  const validators = new Validators(headerPrefix)
  const audit = new AuditRecorder({ ...stores, random: randomOf('audit') })
  const tools = dev ? (await import('./dev-tools.ts')).createDevTools(stores, audit) : undefined
  const applications = new Applications({
    ...stores,
    onKey: tools?.onKey,
    endSessionsOf: (tenant, application, actor) => endSessionsOf(stores, tenant, application, actor),
  })
  const tokens: TokensContext = {
    ...stores,
    views: new WeakMap(),
    expired: tools?.expired,
    audit,
    schemas: validators,
    expressions: createExpressions({ random: length => random.bytes(length), nowMs: clock.nowMs }),
  }
  const sandbox = await openSandbox(stores)
  const callbacks = { allowPrivate: options.allowPrivateCallbacks ?? false }
  const send = createCallbackSender({ ...callbacks, isOwn: stores.isOwn })
  const webhooks = createWebhooks({
    ...stores,
    random: randomOf('webhooks'),
    tokens,
    callbacks,
    send: observeDelivery(tools?.sender(send) ?? send, stores.observer),
    traceHeader: headerNames.trace,
  })
  const performer: Performer = { perform: (job, receipt) => performJob(reactors, job, receipt) }
  const reactors: ReactorsContext = {
    ...stores,
    tokens,
    changes: new Semaphores('changes of reactors', reactorChangeLimits),
    sandbox: observeSandbox(parts.sandbox ?? sandbox, stores.observer),
    warmSandbox: tenant => {
      // A failure shows again, to a caller, when a formula runs.
      if (!parts.sandbox) sandbox.warm(tenant).catch(() => {})
    },
    jobs: parts.jobs?.(performer, tokens) ?? webhooks,
    console: dev ? new FormulaConsole(tools?.printed) : undefined,
    isHeldBusy: tools?.isHeldBusy,
    service: delegation => serviceTransport(core(), delegation, headerNames),
  }
  const isProxy =
    (options.proxyAllowOrigins?.length ?? 0) + Object.keys(options.proxyMapOrigins ?? {}).length > 0
  const requestProxy = isProxy ? (await import('./proxying.ts')).createProxy(stores, reactors) : undefined
  return {
    ...stores,
    requestProxy,
    headerNames,
    validators,
    audit,
    applications,
    tenants: { ...stores, applications, onKey: tools?.onKey },
    tokens,
    sandbox,
    console: reactors.console,
    webhooks,
    tools,
    performer,
    reactors,
  }
}
