/**
 * The kind of an error, for code that reacts to it; no code reads the message for that.
 * - `failed`: an error that no code reacts to
 * - `not-text`: a file that holds no text, and so is skipped
 * - `absent`: what was named is not there: a library, version or page that is not indexed, a job,
 *   an entry of a memory
 * - `empty`: no library is indexed
 * - `denied`: an action that is not allowed: a path that may not be read, a store whose keys do not
 *   allow it, a library that the visitor may not change
 * - `unreachable`: a store or another host that does not answer now
 */
export type ErrorCode = 'failed' | 'not-text' | 'absent' | 'empty' | 'denied' | 'unreachable'

type Options = {
  code?: ErrorCode
  /** The reason as a part of a sentence: the message without the action and the object. */
  reason?: string
  hint?: string | undefined
  exitCode?: number
  cause?: unknown
}

/**
 * An error the user can act on. The command line prints `message` (action, object, state) on one
 * line and `hint: …` on the next, and exits with `exitCode` (2: nothing changed; 130:
 * interrupted). Both may hold untrusted names and answers, so control characters are spelt out.
 */
export class OgError extends Error {
  readonly code: ErrorCode
  readonly reason: string
  readonly hint: string | undefined
  readonly exitCode: number

  constructor(message: string, options: Options = {}) {
    super(spelt(message), options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'OgError'
    this.code = options.code ?? 'failed'
    this.reason = spelt(options.reason ?? message)
    this.hint = options.hint === undefined ? undefined : spelt(options.hint)
    this.exitCode = options.exitCode ?? 2
  }
}

/**
 * Text that is safe to print to a terminal: the control characters of C0 and C1 (ESC, CR, …) and
 * the marks that change the direction of writing are spelt out (`\x1b`, `\u202e`). Line feed and
 * tab stay.
 */
export function spelt(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|[\u202a-\u202e\u2066-\u2069]/g,
    (character) => {
      const code = character.charCodeAt(0)
      const digits = code.toString(16)
      return code < 256 ? `\\x${digits.padStart(2, '0')}` : `\\u${digits}`
    },
  )
}

/** Whether a text has a control character, line feed and tab included, or turns the direction. */
export function hasControls(text: string): boolean {
  return /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(text)
}

/** The reason of anything that was thrown, to append to a message that names the object. */
export function reasonOf(error: unknown): string {
  return error instanceof OgError ? error.reason : messageOf(error)
}

/** The one-line message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
