import { openFace, type FaceOptions } from '../../../mcp/face.ts'
import type { Face } from '../../../mcp/server.ts'
import { openKeyLimits } from '../../../mcp/team/key-limits.ts'
import { openKeyRing } from '../../../mcp/team/key-ring.ts'
import {
  byShare,
  callerOf,
  canReadMetrics,
  teamSite,
  type Member,
  type TeamSite,
} from '../../../mcp/team/team-site.ts'
import type { Og } from '../../../open.ts'
import type { VisitorRing } from '../../../web/visit.ts'

/** The keys of a file, for agents and for the web page. */
export type Team = AsyncDisposable & {
  site: TeamSite
  page: VisitorRing
  /** Returns the handler of `/metrics`; null if metrics are not collected. */
  metricsOf(scrape: Scrape | null): ((member: Member | null) => Promise<string> | null) | null
}

type Scrape = () => Promise<string>

type TeamOptions = {
  token: string | null
  /** The face for the token. */
  fullFace: Face
  /** Options of all faces. */
  options: FaceOptions
  warn(line: string): void
}

/**
 * Opens the key file. Each group of equal keys gets its own view of the store and its own tools.
 */
export async function openTeam(
  og: Og,
  path: string,
  { token, fullFace, options, warn }: TeamOptions,
): Promise<Team> {
  const ring = await openKeyRing(path, { warn })
  const limits = openKeyLimits()
  const shares = byShare(({ canSee, allowIngest }) => {
    const view = og.seenAs(canSee)
    const mayIngest = allowIngest && options.allowIngest
    return { view, canSee, face: openFace(view, { ...options, canSee, allowIngest: mayIngest }) }
  })
  const canSee = () => false
  const page: VisitorRing = {
    // The name contains spaces, which no key name can.
    stranger: {
      name: 'a key of memory',
      og: og.seenAs(canSee),
      canSee,
      wait: () => 0,
      revoked: new AbortController().signal,
    },
    stamp: ring.stamp,
    find(secret) {
      const key = ring.find(secret)
      if (key === null || !key.may.includes('page')) return null
      const { view, canSee } = shares(key)
      const visitor = { ...callerOf(key, limits), og: view, canSee }
      return { ingests: key.may.includes('ingest'), memory: null, visitor }
    },
  }
  return {
    site: teamSite({ ring, limits, token, fullFace, faceFor: (key) => shares(key).face }),
    page,
    metricsOf: (scrape) => scrape && ((member) => (canReadMetrics(member) ? scrape() : null)),
    async [Symbol.asyncDispose]() {
      ring[Symbol.dispose]()
      for (const { face } of shares.all()) await face[Symbol.asyncDispose]()
    },
  }
}
