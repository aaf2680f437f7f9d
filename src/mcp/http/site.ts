import type { LocalClient } from '../../platform/web/peer-user.ts'
import type { Face } from '../server.ts'
import { openLock, type Caller, type Key, type KeyCheck } from './http-gate.ts'
import type { Readiness } from './readiness.ts'

/** What is served: at `/mcp`, and at `/mcp/NAME` where there are several. */
export type Site<K extends Key = Key> = {
  /** Says with which key a request comes, or what it is answered without one. */
  lock: KeyCheck<K>
  /** Nobody is asked who they are. */
  isOpen: boolean
  /** Where a key can be named, for who has to. */
  keyHint: string
  /**
   * The face behind a name, encoded as in the path and null at `/mcp`, for who came with `key`;
   * null: none. The same one each time, since what is open is kept with it.
   */
  faceAt(name: string | null, key: K | null): Face | null
  /** Who calls with a key that has limits of its own; null: those of its address are all. */
  callerOf?(key: K | null): Caller | null
  /** Answers at every other path, and asks itself who it is; without it there is nothing else. */
  page?: SitePage | null
  /** What `/ready` answers; without it the server is ready until it stops. */
  readiness?: Readiness | null
  /** What `/metrics` answers who comes with a key; null: that one may not read it. */
  metrics?: ((key: K | null) => Promise<string> | null) | null
}

/** The page for people. Host, Origin and the number of requests are looked at before. */
export type SitePage = {
  /**
   * Markup without a Content-Length is sent as it is made.
   * @param client the other end of the connection, where that is known
   */
  answer(request: Request, client?: LocalClient | null): Promise<Response>
  /** The name of the key that a request comes with, by header or cookie; null: none is known. */
  keyNameOf(request: Request): string | null
  /** Whether something is at this path, whoever asks. */
  isPlace(path: string): boolean
  /** Ends the answers that would go on. */
  close(): void
  /** What `/health` says of it: the paths of its parts by their names. */
  parts: Readonly<Record<string, string>>
}

/** A site with one face, for those who send `token`; null: for everybody. */
export function siteOf(
  face: Face,
  token: string | null,
  parts: Pick<Site, 'page' | 'readiness' | 'metrics'> = {},
): Site {
  return {
    ...parts,
    lock: openLock(token === null ? [] : [{ secret: token }]),
    isOpen: token === null,
    keyHint: 'name a file that holds one by --token-file, or put it into OG_SERVE_TOKEN',
    faceAt: (name) => (name === null ? face : null),
  }
}
