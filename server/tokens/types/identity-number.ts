/** Identity numbers are found whole, without their dashes, and by their last four digits. */
export const identityNumberIndexes = ['{{ data }}', "{{ data | remove: '-'}}", '{{ data | last4 }}'] as const
