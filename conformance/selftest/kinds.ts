/** A kind of fault that had gone unnoticed. */
interface Kind {
  /** A mutant that only the cases of this kind detect. */
  readonly mutant: string
  /** Ids of the cases of this kind. */
  readonly cases: RegExp
  /** What the run finds in each response, in whatever case: it belongs to this kind, too. */
  readonly always?: RegExp
}

/** Kinds of faults, each with its own cases and a mutant that no other case detects. */
export const kinds: Readonly<Record<string, Kind>> = {
  'long texts': { mutant: 'lists-cut-texts', cases: /\.list-text-of-/ },
  'leading and trailing blanks': { mutant: 'patches-trimmed', cases: /\.patch-blanks$/ },
  markup: { mutant: 'escapes-markup', cases: /-markup$/ },
  'line ends': { mutant: 'unifies-line-ends', cases: /-line-ends$/ },
  'control characters': { mutant: 'drops-control-characters', cases: /-control-characters$/ },
  'composed and decomposed characters': { mutant: 'composes-characters', cases: /-decomposed$/ },
  'empty lists and objects': { mutant: 'drops-empty-members', cases: /-nested-empties$/ },
  decimals: { mutant: 'lists-round-decimals', cases: /\.list-decimals$/ },
  'large integers': { mutant: 'integers-as-floats-in-lists', cases: /-large-integers$/ },
  'null inside': { mutant: 'searches-drop-null-members', cases: /\.search-null-inside$/ },
  'null inside a payload': { mutant: 'tokenize-drops-null', cases: /\.tokenize-null-inside$/ },
  'many members': { mutant: 'lists-keep-50-members', cases: /\.list-many-members$/ },
  'keys and values of metadata': { mutant: 'metadata-keys-in-lower-case', cases: /\.metadata-/ },
  'spelling and order of containers': { mutant: 'containers-sorted', cases: /^TOK-053\.containers$/ },

  'refused with 400': { mutant: 'refused-update-keeps-metadata', cases: /^TOK-036\.|-undone$/ },
  'refused with 403': { mutant: 'unauthorized-create-stores', cases: /-undone$/ },
  'refused with 409': { mutant: 'taken-id-stores', cases: /-undone$/ },
  'refused with 413': { mutant: 'too-large-update-applies', cases: /-undone$/ },
  'refused with 415': { mutant: 'wrong-content-type-stores', cases: /-undone$/ },
  'an id is not burnt': { mutant: 'forbidden-create-reserves-id', cases: /-undone$/ },
  'a nonce is not used': { mutant: 'other-type-uses-nonce', cases: /^SES-505\./ },
  'managed resources are not made': { mutant: 'refused-create-makes-formula', cases: /-undone$/ },

  'keys that resemble a key': { mutant: 'keys-in-any-case', cases: /^AUT-001\.key-/ },
  'ids with the same beginning': { mutant: 'ids-by-prefix', cases: /^TOK-054\./ },
  'types with the same beginning': {
    mutant: 'search-takes-types-by-prefix',
    cases: /^SEA-020\.near-prefix$/,
  },
  'contents with the same beginning': {
    mutant: 'fingerprints-of-a-prefix',
    cases: /^TOK-016\.near-/,
  },
  'contents that differ in case': { mutant: 'fingerprints-fold-case', cases: /^TOK-016\.near-case$/ },
  'index values with the same beginning': {
    mutant: 'finds-a-prefix-of-an-index',
    cases: /^SEA-025\.near-/,
  },
  'idempotency keys of another caller': { mutant: 'idempotency-of-all-callers', cases: /^IDE-501\./ },
  'idempotency keys in another case': { mutant: 'idempotency-in-any-case', cases: /^IDE-501\./ },
  'rules on containers with the same beginning': {
    mutant: 'rules-by-prefix',
    cases: /^(AUT-017|ACC-502|ACC-534)\./,
  },
  'priorities of rules': { mutant: 'priorities-reversed', cases: /^(AUT-019|ACC-501)\./ },
  'permissions without a rule': {
    mutant: 'direct-permission-reveals',
    cases: /^(AUT-018|ACC-504|ACC-521)\./,
  },

  'keys in headers': {
    mutant: 'key-in-a-header',
    cases: /^WIR-544\./,
    always: /contains an API key/,
  },
  'keys in bodies': {
    mutant: 'unknown-key-in-a-problem',
    cases: /^WIR-544\./,
    always: /contains an API key/,
  },
  'the status of a problem': {
    mutant: 'status-of-409-is-400',
    cases: /^ERR-(001|514)\./,
    always: /is a problem whose status is/,
  },
  'trace ids': {
    mutant: 'trace-of-errors-is-new',
    cases: /^WIR-501\./,
    always: /does not have the trace id/,
  },
  caching: { mutant: 'search-may-be-cached', cases: /^WIR-5(01|42)\./, always: /may be cached/ },
  Allow: { mutant: 'allow-lists-every-method', cases: /^ERR-502\./ },
  'data in errors': {
    mutant: 'conflict-shows-the-token',
    cases: /^ERR-507\./,
    always: /repeats data of its request/,
  },

  'default sizes': { mutant: 'jobs-25-by-default', cases: /^PAG-543\./ },
  'pages past the end': { mutant: 'search-last-page-again', cases: /^PAG-5(04|43)\./ },
  'limits of sizes': { mutant: 'jobs-of-any-size', cases: /^PAG-5(01|41)\./ },
  'a body near the limit': { mutant: 'invocation-at-most-4-mb', cases: /^INV-005\./ },
  'one token named many times': { mutant: 'counts-mentions-of-tokens', cases: /^INV-548\./ },
  'what a write says of who and when': { mutant: 'reactor-answers-its-creator', cases: /^WIR-541\./ },
  'former index values': { mutant: 'finds-under-old-indexes', cases: /^(SEA-025|SEA-540|TOK-031)\./ },
  'former fingerprints': {
    mutant: 'finds-under-old-fingerprints',
    cases: /^(SEA-021|TOK-052|TOK-544|TYP-541)\./,
  },

  'the instant of an offset': { mutant: 'offset-reversed', cases: /^TOK-(012|507|530)\./ },
  'the last minutes of a cvc': { mutant: 'cvc-for-57-minutes', cases: /^(DAT-009|TOK-511)\./ },
  'an expiry beyond a year': {
    mutant: 'forgets-an-expiry-beyond-a-year',
    cases: /^TOK-039\.beyond-a-year$/,
  },
  'the order after an update': { mutant: 'order-of-changes', cases: /^PAG-503\./ },
  'the fingerprint of a deleted token': {
    mutant: 'finds-the-deleted-by-fingerprint',
    cases: /^SEA-021\.deleted$/,
  },
  'something of what had the name before': {
    mutant: 'renewed-token-keeps-metadata',
    cases: /^TOK-037\.renewed-/,
  },
  'a claimed rule beside a feature that is not': {
    mutant: 'key-of-a-deleted-application',
    cases: /^APP-504\./,
  },
  'refused late': { mutant: 'late-refusal-moves-token', cases: /-undone$/ },
  'the same and the different': { mutant: 'types-share-fingerprints', cases: /^TOK-016\./ },
  'blanks at the edges': { mutant: 'queries-are-trimmed', cases: /\.blank-|near-blank-|^SEA-018\./ },
  'pages that are just full': { mutant: 'a-page-too-many-if-even', cases: /^PAG-502\./ },
  'an id that is created again': { mutant: 'created-again-keeps-its-change', cases: /^TOK-503\./ },
}

/** Returns if a case that failed on the mutant of a kind is one of the kind. */
export const isOfKind = (
  { cases, always }: Kind,
  {
    case: one,
    findings,
  }: { readonly case: { readonly id: string }; readonly findings: readonly { readonly message: string }[] },
): boolean =>
  cases.test(one.id) || (always !== undefined && findings.every(({ message }) => always.test(message)))
