/** Identity numbers are found whole, without their dashes, and by their last four digits. */
// Requirements: SEA-027, SEA-028, SEA-030
export const identityNumberIndexes = ['{{ data }}', "{{ data | remove: '-'}}", '{{ data | last4 }}'] as const
