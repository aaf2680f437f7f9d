export type Body = Uint8Array<ArrayBuffer>
export type Kept = { body: Body; etag: string; modified: number }

/** `folders` are the parts of keys up to the delimiter. */
export type ListedKeys = {
  objects: { key: string; size: number; modified: number }[]
  folders: string[]
  next: string | null
}

/** `key` includes the prefix of the store; a condition is null if there is none. */
export type Asked =
  | { does: 'list'; key: string; from: string | null; delimiter: string | null }
  | { does: 'read' | 'write' | 'delete'; key: string; is: string | null; unless: string | null }

/** The requests and answers of one kind of storage; its bucket is `docs`, the store `team/`. */
export type ServerDialect = {
  address: string
  env(port: number): Record<string, string>
  refused(status: number, code: string): Response
  /** Returns the error for an unauthorised or invalid request, or null if it is valid. */
  denied(request: Request, sent: { body: Body; now: number; url: URL }): Response | null
  asked(request: Request, url: URL): Asked
  missing(does: Asked['does']): Response
  /** Returns the error for a condition that does not hold. */
  other(condition: { is: string | null; isThere: boolean }): Response
  tag(written: { body: Body; nth: number }): string
  /** Returns the headers that describe an object, and the body of the answer to a write. */
  about(object: Kept): { headers: Record<string, string>; text: string }
  page(listed: ListedKeys, url: URL): string
}

export const secret = 'wJalrXUtnFEMI-never-to-be-printed'

export const endpointOf = (port: number) => `http://127.0.0.1:${port}`
