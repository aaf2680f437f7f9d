import { messageOf, OgError, type ErrorCode } from '../error.ts'
import { join } from 'node:path'
import { bundledNatives, sourceRoot } from '../native/bundled.ts'

export type SandboxJob = { id: number; kind: string; input: unknown }

export type MessageToChild = { jobs: SandboxJob[] } | ({ id: number } & SandboxAnswer)
export type SandboxAnswer = { answer: unknown } | { refused: Refused }

export type MessageFromChild =
  | { type: 'ready' }
  | { type: 'asked'; id: number; question: unknown }
  /** Outcomes in the order of the jobs, sent soon after the jobs end. */
  | { type: 'done'; outcomes: SandboxOutcome[] }
export type SandboxOutcome = { output: unknown } | { refused: Refused }

/** An error in a message. If `ours` is set, the error is an OgError and is rebuilt as one. */
type Refused = { message: string; ours?: Ours }
type Ours = { code: ErrorCode; reason: string; hint: string | undefined }

export function toRefusal(error: unknown): Refused {
  const message = messageOf(error)
  if (!(error instanceof OgError)) return { message }
  const { code, reason, hint } = error
  return { message, ours: { code, reason, hint } }
}

export function toError({ message, ours }: Refused): Error {
  return ours ? new OgError(message, ours) : new Error(message)
}

export const sandboxFlag = '--sandbox'

export function sandboxCommand(): string[] {
  // The path below exists only in the source tree. Computing it in a Windows executable would
  // throw.
  if (bundledNatives !== null) return [process.execPath, sandboxFlag]
  return [process.execPath, join(sourceRoot, 'src/library/add/sandbox-work.ts')]
}
