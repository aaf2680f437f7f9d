/**
 * An error the user can act on. The face prints `message` (action, object, state) on one line
 * and `hint: …` on the next, and exits with `exitCode` (2: nothing changed; 130: interrupted).
 * Names and answers of strangers stand in both, so control characters are spelt out.
 */
export class OgError extends Error {
  readonly hint: string | undefined
  readonly exitCode: number

  constructor(
    message: string,
    options: { hint?: string; exitCode?: number; cause?: unknown } = {},
  ) {
    super(spelt(message), options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'OgError'
    this.hint = options.hint === undefined ? undefined : spelt(options.hint)
    this.exitCode = options.exitCode ?? 2
  }
}

/**
 * Text in which nothing can steer a terminal or turn the order of what is read: ESC, CR and the
 * other controls of C0 and C1, and the marks that turn the direction of writing, are spelt out
 * (`\x1b`, `\u202e`). Line feed and tab stay.
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

/** The one-line message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
