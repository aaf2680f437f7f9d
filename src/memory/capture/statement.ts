import { trimCharacters } from '../../platform/text/trim.ts'

export type Statement = { kind: 'rule' | 'decision' | 'preference' | 'open'; text: string }

/** Longer prompts are mostly pasted text. */
const maxPrompt = 20_000
const maxSentence = 300
const maxStatements = 8

/**
 * Finds rules, decisions, preferences and open tasks in a user's message by its wording. Skips code
 * blocks, quotes, questions, and sentences that are too long.
 */
export function statementsIn(prompt: string): Statement[] {
  const found: Statement[] = []
  for (const sentence of sentencesOf(prompt.slice(0, maxPrompt))) {
    const kind = patterns.find(([, pattern]) => pattern.test(sentence))?.[0] ?? null
    if (kind !== null) found.push({ kind, text: sentence })
    if (found.length === maxStatements) break
  }
  return found
}

const quotes = '"\'`*_“”‘’'

function sentencesOf(text: string): string[] {
  const sentences: string[] = []
  let inFence = false
  for (const raw of text.split('\n')) {
    const line = raw.trim().replace(/^(?:[-*+]|\d{1,3}[.)])[ \t]+/, '')
    if (/^(?:```|~~~)/.test(line)) inFence = !inFence
    else if (!inFence && !/^[>|<#]/.test(line) && line.length <= 2_000) {
      sentences.push(...line.split(/(?<=[.!?])[ \t]+/))
    }
  }
  return sentences
    .map((sentence) => trimCharacters(sentence.trim(), quotes))
    .filter((it) => it.length >= 8 && it.length <= maxSentence && !it.endsWith('?'))
}

/** Words that may precede an order in a sentence. */
const lead = String.raw`(?:(?:please|and|but|so|also|ok|okay|now|note|important)[,:]? ){0,2}`
const who = String.raw`(?:you (?:should|must|have to|need to)|we (?:should|must)?|i want you to)`

const patterns: readonly [Statement['kind'], RegExp][] = [
  ['rule', new RegExp(`^${lead}(?:${who} ?)?(?:always|never(?! mind))\\b`, 'i')],
  ['rule', new RegExp(`^${lead}(?:from now on|in future|in the future|going forward)\\b`, 'i')],
  ['rule', new RegExp(`^${lead}(?:do not|don't) ever\\b`, 'i')],
  ['rule', /^(?:always|never|rule|convention)\s*:/i],
  ['decision', /\bwe(?:'ve| have)? (?:just )?(?:decided|agreed|settled on|chose)\b/i],
  ['decision', /^(?:the )?decision(?: is|:)/i],
  [
    'decision',
    new RegExp(`^${lead}(?:let's|we(?:'ll| will)) (?:go with|stick (?:to|with))\\b`, 'i'),
  ],
  ['decision', new RegExp(`^${lead}(?:remember|note to self|keep in mind)(?: that|:| to)? `, 'i')],
  ['preference', /^i(?:'d)? (?:always |really |generally |usually )?prefer\b/i],
  ['preference', /^(?:my name is|call me|i am a|i work (?:as|at|on|for))\b/i],
  ['open', new RegExp(`^${lead}(?:todo|to do|still open|open question)\\b\\s*[:-]`, 'i')],
  ['open', /\b(?:remind me|next time|tomorrow|in the next session) (?:to|we|i|you)\b/i],
]
