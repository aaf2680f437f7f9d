/**
 * An error the user can act on. The face prints `message` (action, object, state) on one line
 * and `hint: …` on the next, and exits with `exitCode` (2: nothing changed; 130: interrupted).
 */
export class OgError extends Error {
  readonly hint: string | undefined
  readonly exitCode: number

  constructor(
    message: string,
    options: { hint?: string; exitCode?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'OgError'
    this.hint = options.hint
    this.exitCode = options.exitCode ?? 2
  }
}

/** The one-line message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
