import type { Case } from '../harness/case.ts'
import { accessCases } from './access.case.ts'
import { dataCases } from './data.case.ts'
import { formulaCases } from './formulas.case.ts'
import { invocationCases } from './invocation.case.ts'
import { invocationLimitCases } from './invocation-limits.case.ts'
import { argumentCases } from './matrices/arguments.ts'
import { limitCases } from './matrices/bounds.ts'
import { callerCases } from './matrices/callers.ts'
import { coveringCases } from './matrices/covering.ts'
import { derivedCases } from './matrices/derived.ts'
import { duplicateCases } from './matrices/duplicates.ts'
import { edgeCases } from './matrices/edges.ts'
import { embeddedCases } from './matrices/embedded.ts'
import { endedSessionCases } from './matrices/ended-sessions.ts'
import { everyResponseCases } from './matrices/every-response.ts'
import { filterCases } from './matrices/filters.ts'
import { foldingCases } from './matrices/folding.ts'
import { formulaClientCases } from './matrices/formula-clients.ts'
import { grantingCases } from './matrices/granting.ts'
import { hiddenCases } from './matrices/hidden.ts'
import { identificationCases } from './matrices/identification.ts'
import { identityCases } from './matrices/identities.ts'
import { instantCases } from './matrices/instants.ts'
import { knownMemberCases } from './matrices/known-members.ts'
import { logListCases } from './matrices/log-lists.ts'
import { logCases } from './matrices/logged.ts'
import { makerCases } from './matrices/makers.ts'
import { mergeCases } from './matrices/merging.ts'
import { nearCases } from './matrices/near.ts'
import { nearRuleCases } from './matrices/near-rules.ts'
import { outcomeCases } from './matrices/outcomes.ts'
import { pageCases } from './matrices/pages.ts'
import { parameterCases } from './matrices/parameters.ts'
import { queryCases } from './matrices/queries.ts'
import { reevaluatedCases } from './matrices/reevaluated.ts'
import { referenceCases } from './matrices/references.ts'
import { renewedCases } from './matrices/renewed.ts'
import { repeatedCases } from './matrices/repeated.ts'
import { retryCases } from './matrices/retries.ts'
import { sameCases } from './matrices/same.ts'
import { shownCases } from './matrices/shown.ts'
import { spellingCases } from './matrices/spellings.ts'
import { tokenizingCases } from './matrices/tokenizing.ts'
import { unchangedCases } from './matrices/unchanged.ts'
import { undoneCases } from './matrices/undone.ts'
import { undoneManagedCases } from './matrices/undone-managed.ts'
import { usageCases } from './matrices/usage.ts'
import { reactorCases } from './reactors.case.ts'
import { searchFieldCases } from './search-fields.case.ts'
import { searchQueryCases } from './search-query.case.ts'
import { sessionCases } from './sessions.case.ts'
import { applicationCases } from './surrogate-access.case.ts'
import { boundCases } from './surrogate-bounds.case.ts'
import { errorCases } from './surrogate-errors.case.ts'
import { surrogateFormulaCases } from './surrogate-formulas.case.ts'
import { surrogateIdempotencyCases } from './surrogate-idempotency.case.ts'
import { surrogateInvocationCases } from './surrogate-invocation.case.ts'
import { keyCases } from './surrogate-keys.case.ts'
import { surrogatePageCases } from './surrogate-pages.case.ts'
import { payloadCases } from './surrogate-payloads.case.ts'
import { surrogateSearchCases } from './surrogate-search.case.ts'
import { tenantCases } from './surrogate-tenants.case.ts'
import { surrogateTokenCases } from './surrogate-tokens.case.ts'
import { updateRightCases } from './surrogate-update-rights.case.ts'
import { wireCases } from './surrogate-wire.case.ts'
import { tenantAndWebhookCases } from './tenants-and-webhooks.case.ts'
import { tokenCreateCases } from './tokens-create.case.ts'
import { tokenListCases } from './tokens-list.case.ts'
import { tokenUpdateCases } from './tokens-update.case.ts'
/** All cases of the suite by section. */
export const allCases: readonly Case[] = [
  ...dataCases,
  ...tokenCreateCases,
  ...tokenListCases,
  ...tokenUpdateCases,
  ...searchQueryCases,
  ...searchFieldCases,
  ...formulaCases,
  ...reactorCases,
  ...invocationCases,
  ...invocationLimitCases,
  ...sessionCases,
  ...accessCases,
  ...keyCases,
  ...applicationCases,
  ...tenantCases,
  ...boundCases,
  ...surrogateFormulaCases,
  ...surrogateInvocationCases,
  ...surrogateSearchCases,
  ...surrogateTokenCases,
  ...updateRightCases,
  ...wireCases,
  ...surrogatePageCases,
  ...errorCases,
  ...payloadCases,
  ...surrogateIdempotencyCases,
  ...hiddenCases,
  ...shownCases,
  ...callerCases,
  ...mergeCases,
  ...derivedCases,
  ...limitCases,
  ...filterCases,
  ...foldingCases,
  ...makerCases,
  ...sameCases,
  ...coveringCases,
  ...duplicateCases,
  ...logCases,
  ...knownMemberCases,
  ...logListCases,
  ...endedSessionCases,
  ...reevaluatedCases,
  ...renewedCases,
  ...repeatedCases,
  ...spellingCases,
  ...queryCases,
  ...retryCases,
  ...formulaClientCases,
  ...grantingCases,
  ...edgeCases,
  ...embeddedCases,
  ...referenceCases,
  ...tokenizingCases,
  ...argumentCases,
  ...identityCases,
  ...identificationCases,
  ...outcomeCases,
  ...parameterCases,
  ...usageCases,
  ...tenantAndWebhookCases,
  ...unchangedCases,
  ...undoneCases,
  ...undoneManagedCases,
  ...nearCases,
  ...nearRuleCases,
  ...everyResponseCases,
  ...pageCases,
  ...instantCases,
]
