import type { LocalClient } from '../../platform/web/peer-user.ts'
import type { Face } from '../server.ts'
import { openKeyCheck, type Caller, type BearerKey, type KeyCheck } from './http-gate.ts'
import type { Readiness } from './readiness.ts'

export type Site<K extends BearerKey = BearerKey> = {
  checkKey: KeyCheck<K>
  isOpen: boolean
  keyHint: string
  /**
   * Returns the face at `/mcp` (`name` is null) or `/mcp/NAME` for a client with `key`, or null.
   * `name` is URL-encoded as in the path. The same arguments return the same face, because a face
   * has open resources.
   */
  faceAt(name: string | null, key: K | null): Face | null
  /** Returns the owner of a key with its own rate limits, or null without such limits. */
  callerOf?(key: K | null): Caller | null
  /** Answers all other paths and checks authentication itself. Without it, they return 404. */
  page?: SitePage | null
  /** Answers `/ready`. Without it, the server is ready until it stops. */
  readiness?: Readiness | null
  metrics?: ((key: K | null) => Promise<string> | null) | null
}

/** The web page. The server checks Host, Origin and the rate limit first. */
export type SitePage = {
  /**
   * Markup without Content-Length is streamed.
   * @param client the peer of the connection, if known
   */
  answer(request: Request, client?: LocalClient | null): Promise<Response>
  /** Returns the name of the key in a request's header or cookie, or null. */
  keyNameOf(request: Request): string | null
  hasPath(path: string): boolean
  close(): void
  parts: Readonly<Record<string, string>>
}

/**
 * Opens a site with one face. Clients must send `token`. If it is null, everyone may use the site.
 */
export function openSite(
  face: Face,
  token: string | null,
  parts: Pick<Site, 'page' | 'readiness' | 'metrics'> = {},
): Site {
  return {
    ...parts,
    checkKey: openKeyCheck(token === null ? [] : [{ secret: token }]),
    isOpen: token === null,
    keyHint: 'name a file that contains one with --token-file, or set OG_SERVE_TOKEN',
    faceAt: (name) => (name === null ? face : null),
  }
}
