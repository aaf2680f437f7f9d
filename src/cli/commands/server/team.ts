import { openFace, type FaceOptions } from '../../../mcp/face.ts'
import type { Face } from '../../../mcp/server.ts'
import {
  openKeyLimits,
  type KeyLimits,
  openKeyRing,
  type KeyRing,
  type LiveKey,
} from '../../../mcp/team/key-ring.ts'
import type { Og } from '../../../open.ts'
import type { VisitorRing } from '../../../web/visit.ts'
import { bearerOf, openKeyCheck, unauthorized, type Caller } from '../../../mcp/http/http-gate.ts'
import type { Site } from '../../../mcp/http/site.ts'
import { libraryMatcher, type TeamKey } from '../../../mcp/team/team-key.ts'

export type Team = AsyncDisposable & {
  site: TeamSite
  page: VisitorRing
  metricsOf(scrape: Scrape | null): ((member: TeamClient | null) => Promise<string> | null) | null
}

type Scrape = () => Promise<string>

type TeamOptions = {
  token: string | null
  fullFace: Face
  options: FaceOptions
  warn(line: string): void
}

export async function openTeam(
  og: Og,
  path: string,
  { token, fullFace, options, warn }: TeamOptions,
): Promise<Team> {
  const ring = await openKeyRing(path, { warn })
  const limits = openKeyLimits()
  const shares = cacheByAccess(({ canSee, allowIngest }) => {
    const view = og.seenAs(canSee)
    const mayIngest = allowIngest && options.allowIngest
    return { view, canSee, face: openFace(view, { ...options, canSee, allowIngest: mayIngest }) }
  })
  const canSee = () => false
  const page: VisitorRing = {
    // No key can have this name, because it contains spaces.
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

/**
 * A client with a key from the file, or with the server's token. The token grants everything, and
 * `key` is then null.
 */
type TeamClient = { secret: string; key: LiveKey | null }

export type KeyAccess = Required<Pick<FaceOptions, 'canSee' | 'allowIngest'>>

/** Returns one value per kind of access, created at first use and cached. */
type ByShare<T> = ((key: Pick<TeamKey, 'libraries' | 'may'>) => T) & { all(): T[] }

/** Caches the most recently used values, so that thousands of keys cannot fill the memory. */
export function cacheByAccess<T>(make: (share: KeyAccess) => T, maxSize = 1_000): ByShare<T> {
  const cache = new Map<string, T>()
  const one = ({ libraries, may }: Pick<TeamKey, 'libraries' | 'may'>): T => {
    const names = [...new Set(libraries.map((name) => name.toLowerCase()))].sort()
    const allowIngest = may.includes('ingest')
    const id = JSON.stringify([names, allowIngest])
    const own = cache.get(id) ?? make({ canSee: libraryMatcher(names), allowIngest })
    cache.delete(id)
    cache.set(id, own)
    if (cache.size > maxSize) cache.delete(cache.keys().next().value ?? '')
    return own
  }
  return Object.assign(one, { all: () => [...cache.values()] })
}

type TeamSiteOptions = {
  ring: KeyRing
  limits: KeyLimits
  token: string | null
  fullFace: Face
  faceFor(key: TeamKey): Face
}

type TeamSite = Pick<Site<TeamClient>, 'checkKey' | 'isOpen' | 'keyHint' | 'faceAt' | 'callerOf'>

/** Serves documentation over HTTP. Each key sees only its own libraries and tools. */
export function teamSite({ ring, limits, token, fullFace, faceFor }: TeamSiteOptions): TeamSite {
  const tokenLock = openKeyCheck<TeamClient>(token === null ? [] : [{ secret: token, key: null }])
  return {
    isOpen: false,
    keyHint: 'og keys add makes one',
    checkKey(request) {
      const sent = bearerOf(request)
      const key = sent === null ? null : ring.find(sent)
      if (key !== null) return { key: { secret: '', key } }
      return token === null ? unauthorized() : tokenLock(request)
    },
    faceAt(name, member) {
      if (name !== null || member === null) return null
      if (member.key === null) return fullFace
      return member.key.may.includes('search') ? faceFor(member.key) : null
    },
    callerOf: (member) => (member?.key ? callerOf(member.key, limits) : null),
  }
}

function canReadMetrics(member: TeamClient | null): boolean {
  return member !== null && (member.key === null || member.key.may.includes('metrics'))
}

export function callerOf(key: LiveKey, limits: KeyLimits): Caller {
  return { name: key.name, revoked: key.revoked, wait: (requests) => limits(key, requests) }
}
