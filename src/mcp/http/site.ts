import type { LocalClient } from '../../platform/web/peer-user.ts'
import type { Face } from '../server.ts'
import { openKeyCheck, type Caller, type BearerKey, type KeyCheck } from './http-gate.ts'
import type { Readiness } from './readiness.ts'

export type Site<K extends BearerKey = BearerKey> = {
  checkKey: KeyCheck<K>
  isOpen: boolean
  /** A hint that says where to set a key. */
  keyHint: string
  /**
   * Returns the face at `/mcp` (`name` is null) or `/mcp/NAME` for a client with `key`; null if
   * there is none. `name` is URL-encoded as in the path. Always returns the same face, because it
   * holds its open resources.
   */
  faceAt(name: string | null, key: K | null): Face | null
  /** The owner of a key with its own rate limits; null if only the limits per address apply. */
  callerOf?(key: K | null): Caller | null
  /** Answers all other paths and checks authentication itself; without a page, they return 404. */
  page?: SitePage | null
  /** Answers `/ready`; if null, the server is ready until it stops. */
  readiness?: Readiness | null
  metrics?: ((key: K | null) => Promise<string> | null) | null
}

/** The web page. The server checks Host, Origin and the rate limit first. */
export type SitePage = {
  /**
   * Markup without a Content-Length is streamed.
   * @param client the peer of the connection, if known
   */
  answer(request: Request, client?: LocalClient | null): Promise<Response>
  /** Returns the name of the key in a request's header or cookie; null if there is none. */
  keyNameOf(request: Request): string | null
  hasPath(path: string): boolean
  /** Ends open streaming responses. */
  close(): void
  parts: Readonly<Record<string, string>>
}

/**
 * Opens a site with one face. Clients must send `token`; if it is null, everyone may use the site.
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
