/**
 * The kind of an error, for code that reacts to it. Code must not parse messages.
 * - `failed`: no code reacts to it
 * - `not-text`: the file contains no text and is skipped
 * - `absent`: a library, version, page, job or memory entry does not exist
 * - `empty`: no library is indexed
 * - `denied`: the action is not allowed, for example reading a protected path or changing a library
 *   without the right
 * - `unreachable`: a store or another host does not respond
 */
export type ErrorCode = 'failed' | 'not-text' | 'absent' | 'empty' | 'denied' | 'unreachable'

type Options = {
  code?: ErrorCode
  reason?: string
  hint?: string | undefined
  exitCode?: number
  cause?: unknown
}

/**
 * An error that the user can act on. The command line prints `message` (action, object, state) on
 * one line and `hint: …` on the next. It exits with `exitCode` (2: nothing was changed; 130:
 * interrupted). Control characters are escaped because message and hint may contain untrusted names
 * and responses.
 */
export class OgError extends Error {
  readonly code: ErrorCode
  readonly reason: string
  readonly hint: string | undefined
  readonly exitCode: number

  constructor(message: string, options: Options = {}) {
    const { cause } = options
    super(escapeControls(message), cause === undefined ? undefined : { cause })
    this.name = 'OgError'
    this.code = options.code ?? 'failed'
    this.reason = escapeControls(options.reason ?? message)
    this.hint = options.hint === undefined ? undefined : escapeControls(options.hint)
    this.exitCode = options.exitCode ?? 2
  }
}

/**
 * Escapes characters that could control a terminal or disguise text, as in `\u001b`, `\u202e` and
 * `\u200b`: C0 and C1 controls, DEL, bidirectional controls and invisible characters. Keeps tabs,
 * line feeds (also after a carriage return), and joiners where emoji and scripts need them. Escaped
 * JSON keeps its meaning because these characters occur only in its strings.
 */
export function escapeControls(text: string): string {
  // Few strings have such characters, and a test is cheaper than a replacement.
  return controlCharacters.test(text) ? text.replace(allControlCharacters, escapeSequence) : text
}

const hidden =
  '\\u007f-\\u009f\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069' +
  '\\ufeff\\u{e0000}-\\u{e007f}'
const strayJoiner =
  '(?<![\\p{M}\\p{Script=Arabic}\\p{Extended_Pictographic}\\p{Emoji_Modifier}])[\\u200c\\u200d]'
const controlCharacters = new RegExp(
  `[\\0-\\u0008\\u000b\\u000c\\u000e-\\u001f${hidden}]|\\r(?!\\n)|${strayJoiner}`,
  'u',
)
const allControlCharacters = new RegExp(controlCharacters, 'gu')
const anyControl = new RegExp(`[\\0-\\u001f${hidden}]|${strayJoiner}`, 'u')

function escapeSequence(character: string): string {
  const units = character.split('')
  return units.map((it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
}

/** True if the text contains a line feed, a tab or a character that `escapeControls` escapes. */
export function hasControls(text: string): boolean {
  return anyControl.test(text)
}

/** Returns the reason of any thrown value, for a message that already names the object. */
export function reasonOf(error: unknown): string {
  return error instanceof OgError ? error.reason : messageOf(error)
}

export function fullMessageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Returns a one-line message for any thrown value. For a system error, returns only the reason
 * because the caller names the file: `no such file or directory` for `ENOENT: no such file or
 * directory, open '/a'`.
 */
export function messageOf(error: unknown): string {
  const message = fullMessageOf(error)
  if (!(error instanceof Error && 'syscall' in error)) return message
  return systemReason.exec(message)?.[1] ?? message
}

const systemReason = /^E[A-Z0-9]+: (.+?), \w+(?: '.*)?$/s
