/** Parts that can be left out, to measure what they are worth; copies are dropped after ranking. */
export const ablations = ['exact', 'evidence', 'changelogs', 'repeats', 'copies'] as const
export type Ablation = (typeof ablations)[number]
