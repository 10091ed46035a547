/** The cause of a refusal that is none by our access rules, and so not recorded as one. */
export class NotOfOurs {}
