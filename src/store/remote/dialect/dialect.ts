import { createReadStream } from 'node:fs'
import type { Condition, ListedObject, SummedFile } from '../bucket.ts'

export type BucketRequest = Condition & {
  /** `list`: what is below `key`. */
  does: 'read' | 'write' | 'delete' | 'list'
  /** With the prefix of the store. */
  key: string
  /** Of `read`: an answer without a body where this is still the tag. */
  unless?: string | undefined
  body?: string | SummedFile
  /** Of `list`: where the page before said that this one begins. */
  next?: string
}

export type SignedRequest = {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  url: string
  headers: Record<string, string>
}

/** A page of a listing, keys with the prefix of the store; `next`: where another one begins. */
export type ListedPage = { objects: ListedObject[]; next: string | null }

/** An answer that is not what was asked for; `code`: the word of the storage for it, or empty. */
export type RefusedRequest = { status: number; code: string; answer: Response }

/**
 * What differs from one kind of object storage to the next: how it is asked, and how its answers
 * read. It sends nothing itself but to whoever gives it a token.
 */
export type BucketDialect = {
  /** As of `now` by the bucket's clock, with a sum of what is written, for the bucket to check. */
  signed(request: BucketRequest, now: Date): Promise<SignedRequest>
  /** @throws an error of any kind where it is no listing */
  page(text: string): ListedPage
  /** `text`: the body, of a write. null: the object has no tag. */
  tagOf(answer: Response, text: string): string | null
  /** Nothing else of a body is shown: it may repeat what was signed. */
  codeOf(answer: Response, text: string): string
  /** Whether it says that the condition of a write did not hold. */
  isOther(refused: RefusedRequest): boolean
  /** Whether a 404 means the bucket itself. */
  isNoBucket(code: string): boolean
  /** How LanceDB reads it, as options of its own. Holds keys. */
  storage(): Promise<Record<string, string>>
  /** What this storage alone knows a remedy for. */
  hint(refused: RefusedRequest): string | null
}

/** In base64: what some storage compares the body of a write with. */
export async function md5(body: string | SummedFile): Promise<string> {
  const hasher = new Bun.CryptoHasher('md5')
  if (typeof body === 'string') hasher.update(body)
  else for await (const piece of createReadStream(body.path)) hasher.update(piece)
  return hasher.digest('base64')
}
