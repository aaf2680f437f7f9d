import type { LocalClient } from '../../platform/web/peer-user.ts'
import type { Face } from '../server.ts'
import { openKeyCheck, type Caller, type BearerKey, type KeyCheck } from './http-gate.ts'
import type { Readiness } from './readiness.ts'

/** The served endpoints: `/mcp`, and `/mcp/NAME` if there are several. */
export type Site<K extends BearerKey = BearerKey> = {
  /** Returns the key of a request, or the response that rejects it. */
  checkKey: KeyCheck<K>
  /** True if no key is required. */
  isOpen: boolean
  /** The hint that says where to set a key. */
  keyHint: string
  /**
   * The face at `/mcp` (`name` is null) or `/mcp/NAME` for a client with `key`; null if there is
   * none. `name` is URL-encoded as in the path. Returns the same face each time, because resources
   * opened for it stay cached with it.
   */
  faceAt(name: string | null, key: K | null): Face | null
  /** The owner of a key with its own rate limits; null if only the limits per address apply. */
  callerOf?(key: K | null): Caller | null
  /** Answers all other paths and checks its own authentication; without it they return 404. */
  page?: SitePage | null
  /** Answers `/ready`; without it the server is ready until it stops. */
  readiness?: Readiness | null
  /** Answers `/metrics` for a key; null if the key may not read metrics. */
  metrics?: ((key: K | null) => Promise<string> | null) | null
}

/** The web page. Host, Origin and the rate limit are checked before it is called. */
export type SitePage = {
  /**
   * Markup without a Content-Length is streamed.
   * @param client the peer of the connection, if known
   */
  answer(request: Request, client?: LocalClient | null): Promise<Response>
  /** The name of the key in the header or cookie of a request; null if there is none. */
  keyNameOf(request: Request): string | null
  /** Whether a page exists at this path, for any user. */
  hasPath(path: string): boolean
  /** Ends open streaming responses. */
  close(): void
  /** The paths of the page's parts by name, for `/health`. */
  parts: Readonly<Record<string, string>>
}

/** A site with one face. Clients must send `token`; if it is null, everyone may use the site. */
export function openSite(
  face: Face,
  token: string | null,
  parts: Pick<Site, 'page' | 'readiness' | 'metrics'> = {},
): Site {
  return {
    ...parts,
    checkKey: openKeyCheck(token === null ? [] : [{ secret: token }]),
    isOpen: token === null,
    keyHint: 'name a file that holds one by --token-file, or put it into OG_SERVE_TOKEN',
    faceAt: (name) => (name === null ? face : null),
  }
}
