import { hasSecret } from '../audit/secrets.ts'
import { sha256 } from '../../platform/hash.ts'
import { isRecord } from '../../platform/json.ts'
import type { SessionEvent } from './session-event.ts'
import { trimCharacters } from '../../platform/text/trim.ts'

/** A proposed note. Recall ignores it until a person accepts it. */
export type CandidateNote = {
  /** Equal notes have equal ids in all sessions. */
  id: string
  kind: Statement['kind'] | 'command' | 'files'
  /** The file to which the note will be added. */
  to: 'MEMORY.md' | 'USER.md' | 'AGENTS.md' | 'daily'
  text: string
  /** The number of the user's message in the session. */
  turn: number
}

/** The state of a session between two hook calls. */
export type SessionState = {
  /** Number of transcript bytes read so far. */
  offset: number
  turn: number
  /** Failed commands. No similar command has succeeded since. */
  failed: { command: string; turn: number; age: number }[]
  pending: [id: string, command: string][]
  /** Number of changes per file. */
  changed: Record<string, number>
  /** The unfinished steps of the latest plan. */
  open: string[]
}

export const emptySession: SessionState = {
  offset: 0,
  turn: 0,
  failed: [],
  pending: [],
  changed: {},
  open: [],
}

export function isSession(value: unknown): value is SessionState {
  if (!isRecord(value)) return false
  const { offset, turn, failed, pending, changed, open } = value
  const isList = (list: unknown, isItem: (item: unknown) => boolean) =>
    Array.isArray(list) && list.every(isItem)
  return (
    typeof offset === 'number' &&
    typeof turn === 'number' &&
    isList(failed, isRecord) &&
    isList(pending, Array.isArray) &&
    isRecord(changed) &&
    isList(open, (step) => typeof step === 'string')
  )
}

const targets = {
  rule: 'AGENTS.md',
  decision: 'MEMORY.md',
  preference: 'USER.md',
  open: 'daily',
} as const

/** Proposes notes for a user's message. */
export function notesOfPrompt(prompt: string, turn: number): CandidateNote[] {
  return statementsIn(prompt)
    .filter(({ text }) => !hasSecret(text))
    .map(({ kind, text }) => candidate({ kind, to: targets[kind], text, turn }))
}

/** Proposes notes for events and updates the session's state. */
export function notesOfEvents(
  state: SessionState,
  events: readonly SessionEvent[],
): CandidateNote[] {
  return events.flatMap((event) => {
    switch (event.kind) {
      case 'said':
        return notesOfPrompt(event.text, ++state.turn)
      case 'ran':
        return notesOfCommand(state, event)
      case 'changed':
        countChange(state, event.file)
        return []
      case 'planned':
        state.open = event.open.slice(0, 10).map((step) => step.slice(0, 200))
        return []
    }
  })
}

const maxFailed = 10
/**
 * Maximum number of commands between a failed command and its fix. A later command usually solves a
 * different problem.
 */
const maxAge = 8

/** Makes one note from a failed command and a similar command that succeeded soon after it. */
function notesOfCommand(
  state: SessionState,
  { command: input, isFailed }: { command: string; isFailed: boolean },
): CandidateNote[] {
  const command = input.trim()
  for (const failure of state.failed) failure.age++
  state.failed = state.failed.filter((it) => it.age <= maxAge && it.command !== command)
  if (command === '' || command.length > 200 || /[\r\n]/.test(command)) return []
  if (hasSecret(command)) return []
  const { turn } = state
  if (isFailed) {
    state.failed = [...state.failed, { command, turn, age: 0 }].slice(-maxFailed)
    return []
  }
  const solved = state.failed.filter((it) => areSimilar(it.command, command)).at(-1)
  if (solved === undefined) return []
  state.failed = state.failed.filter((it) => !areSimilar(it.command, command))
  const text = `\`${solved.command}\` failed; \`${command}\` worked.`
  return [candidate({ kind: 'command', to: 'MEMORY.md', text, turn })]
}

/** True if both commands contain the same distinctive word, such as `test` or a file name. */
function areSimilar(one: string, other: string): boolean {
  const words = new Set(wordsOf(one))
  return wordsOf(other).some((word) => words.has(word))
}

function wordsOf(command: string): string[] {
  return command.split(/[\s;&|"']+/).filter((word) => word.length >= 3 && !/^[-/$\d]/.test(word))
}

function countChange(state: SessionState, file: string): void {
  const name = file.slice(0, 300)
  if (hasSecret(name)) return
  // `__proto__` is not an ordinary key of an object.
  const isNew = !Object.hasOwn(state.changed, name)
  if (name === '__proto__' || (isNew && Object.keys(state.changed).length >= 200)) return
  state.changed[name] = (isNew ? 0 : state.changed[name]!) + 1
}

/** Returns the notes that summarize a session. They replace the notes of its earlier summary. */
export function notesOfSession(
  { changed, open, turn }: SessionState,
  { session, folder }: { session: string; folder: string },
): CandidateNote[] {
  const files = Object.entries(changed)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, 5)
    .map(([file, count]) => {
      const name = file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file
      return `${name} (${count})`
    })
  const notes: Omit<CandidateNote, 'id'>[] = []
  if (files.length > 0) {
    const text = `Changed most in ${folder}: ${files.join(', ')}.`
    notes.push({ kind: 'files', to: 'daily', text, turn })
  }
  const steps = open.filter((step) => !hasSecret(step))
  if (steps.length > 0) {
    const text = `Left open in ${folder}: ${steps.join('; ')}.`
    notes.push({ kind: 'open', to: 'daily', text, turn })
  }
  return notes.map((note) => ({
    ...note,
    text: oneLine(note.text),
    id: idOf(`${session} ${note.kind}`),
  }))
}

function candidate(note: Omit<CandidateNote, 'id'>): CandidateNote {
  const text = oneLine(note.text)
  return { ...note, text, id: idOf(text.toLowerCase()) }
}

const idOf = (text: string) => sha256(text).slice(0, 12)

/** Reduces text to one line that cannot be parsed as a heading or comment in the inbox. */
function oneLine(text: string): string {
  const line = text.toWellFormed().replace(/\s+/g, ' ').trim()
  return line.replaceAll('<!--', '< !--').slice(0, 1_000)
}

type Statement = { kind: 'rule' | 'decision' | 'preference' | 'open'; text: string }

/** A longer prompt usually contains pasted text. */
const maxPrompt = 20_000
const maxSentence = 300
const maxStatements = 8

/**
 * Finds rules, decisions, preferences and tasks in a user's message by its wording. Skips code
 * blocks, quotes, questions and long sentences.
 */
export function statementsIn(prompt: string): Statement[] {
  const statements: Statement[] = []
  for (const sentence of sentencesOf(prompt.slice(0, maxPrompt))) {
    const kind = patterns.find(([, pattern]) => pattern.test(sentence))?.[0] ?? null
    if (kind !== null) statements.push({ kind, text: sentence })
    if (statements.length === maxStatements) break
  }
  return statements
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
