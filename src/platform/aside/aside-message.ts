/** What `aside.ts` and `aside-child.ts` say to each other. */
import { messageOf, OgError } from '../error.ts'

export type Job = { id: number; kind: string; input: unknown }

export type ToChild = Job | ({ id: number } & Answer)
export type Answer = { answer: unknown } | { refused: Refused }

export type FromChild =
  | { type: 'ready' }
  | { type: 'asked'; id: number; question: string }
  | { type: 'done'; id: number; output: unknown }
  | { type: 'failed'; id: number; refused: Refused }

/** An error on its way; only ours keep their class. */
type Refused = { reason: string; hint?: string | undefined; isOurs?: true }

export function refusedOf(error: unknown): Refused {
  const reason = messageOf(error)
  return error instanceof OgError ? { reason, hint: error.hint, isOurs: true } : { reason }
}

export function errorOf({ reason, hint, isOurs }: Refused): Error {
  return isOurs ? new OgError(reason, { hint }) : new Error(reason)
}
