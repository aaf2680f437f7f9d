export type Body = Uint8Array<ArrayBuffer>
export type Kept = { body: Body; etag: string; modified: number }

/** `folders`: of keys that go on after a delimiter, up to that. */
export type ListedKeys = {
  objects: { key: string; size: number; modified: number }[]
  folders: string[]
  next: string | null
}

/** With the prefix of the store; conditions: null where there is none. */
export type Asked =
  | { does: 'list'; key: string; from: string | null; delimiter: string | null }
  | { does: 'read' | 'write' | 'delete'; key: string; is: string | null; unless: string | null }

/** How one kind of storage is asked, and how it answers; its bucket is `docs`, the store `team/`. */
export type ServerDialect = {
  address: string
  env(port: number): Record<string, string>
  refused(status: number, code: string): Response
  /** What is wrong with who asks, or with what is sent; null: nothing. */
  denied(request: Request, sent: { body: Body; now: number; url: URL }): Response | null
  asked(request: Request, url: URL): Asked
  missing(does: Asked['does']): Response
  /** A condition that did not hold. */
  other(condition: { is: string | null; isThere: boolean }): Response
  tag(written: { body: Body; nth: number }): string
  /** What an answer says of an object; `text`: the body of the answer to a write. */
  about(object: Kept): { headers: Record<string, string>; text: string }
  page(listed: ListedKeys, url: URL): string
}

export const secret = 'wJalrXUtnFEMI-never-to-be-printed'

export const endpointOf = (port: number) => `http://127.0.0.1:${port}`
