import { createReadStream } from 'node:fs'
import type { Condition, ListedObject, FileWithSum } from '../bucket.ts'

export type BucketRequest = Condition & {
  does: 'read' | 'write' | 'delete' | 'list'
  key: string
  /** For `read`: the response has no body if the object still has this tag. */
  unless?: string | undefined
  body?: string | FileWithSum
  /** For `list`: continues after the previous page. */
  next?: string
}

export type SignedRequest = {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  url: string
  headers: Record<string, string>
}

/** A page of a listing; keys include the prefix of the store. `next` starts the following page. */
export type ListedPage = { objects: ListedObject[]; next: string | null }

export type RefusedRequest = { status: number; code: string; answer: Response }

/**
 * The differences between kinds of object storage: how to build requests and how to read responses.
 * A dialect sends no requests itself, except to services that issue tokens.
 */
export type BucketDialect = {
  /**
   * Signs a request for the time `now` on the bucket's clock, with a checksum of the body that the
   * bucket verifies.
   */
  sign(request: BucketRequest, now: Date): Promise<SignedRequest>
  page(text: string): ListedPage
  /** `text` is the response body of a write. Returns null if the object has no tag. */
  tagOf(answer: Response, text: string): string | null
  /**
   * Returns the error code. The rest of a body is never shown, because it may repeat signed data.
   */
  codeOf(answer: Response, text: string): string
  isConflict(refused: RefusedRequest): boolean
  isBucketMissing(code: string): boolean
  /** Options with which LanceDB reads the bucket. The options contain secret keys. */
  storage(): Promise<Record<string, string>>
  hint(refused: RefusedRequest): string | null
}

/** Returns the MD5 in base64, which some kinds of storage compare with the body of a write. */
export async function md5(body: string | FileWithSum): Promise<string> {
  const hasher = new Bun.CryptoHasher('md5')
  if (typeof body === 'string') hasher.update(body)
  else for await (const piece of createReadStream(body.path)) hasher.update(piece)
  return hasher.digest('base64')
}
