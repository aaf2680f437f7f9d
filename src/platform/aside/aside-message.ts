/** What `aside.ts` and `aside-child.ts` say to each other. */
import { messageOf, OgError, type ErrorCode } from '../error.ts'

export type AsideJob = { id: number; kind: string; input: unknown }

export type ToChild = { jobs: AsideJob[] } | ({ id: number } & AsideAnswer)
export type AsideAnswer = { answer: unknown } | { refused: Refused }

export type FromChild =
  | { type: 'ready' }
  | { type: 'asked'; id: number; question: string }
  /** In the order of the jobs, soon after they were done. */
  | { type: 'done'; outcomes: AsideOutcome[] }
export type AsideOutcome = { output: unknown } | { refused: Refused }

/** An error on its way; only ours keep their class. */
type Refused = { message: string; ours?: Ours }
type Ours = { code: ErrorCode; reason: string; hint: string | undefined }

export function refusedOf(error: unknown): Refused {
  const message = messageOf(error)
  if (!(error instanceof OgError)) return { message }
  const { code, reason, hint } = error
  return { message, ours: { code, reason, hint } }
}

export function errorOf({ message, ours }: Refused): Error {
  return ours ? new OgError(message, ours) : new Error(message)
}
