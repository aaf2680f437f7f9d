import type { FaceOptions } from '../face.ts'
import { bearerOf, openKeyCheck, unauthorized, type Caller } from '../http/http-gate.ts'
import type { Site } from '../http/site.ts'
import type { Face } from '../server.ts'
import type { KeyLimits } from './key-limits.ts'
import type { KeyRing, LiveKey } from './key-ring.ts'
import { libraryMatcher, type TeamKey } from './team-key.ts'

/**
 * A client with a key of the file, or with the server's token, which grants everything (key is
 * null).
 */
export type Member = { secret: string; key: LiveKey | null }

/** The access that a group of keys shares: visible libraries, and whether indexing is allowed. */
export type Share = Required<Pick<FaceOptions, 'canSee' | 'allowIngest'>>

/** One value per share, created on first use and cached. */
type ByShare<T> = ((key: Pick<TeamKey, 'libraries' | 'may'>) => T) & { all(): T[] }

/** Keeps the most recently used values, so that thousands of keys do not fill the memory. */
export function byShare<T>(make: (share: Share) => T, maxSize = 1_000): ByShare<T> {
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
  /** The token of the server; null if only keys of the file are accepted. */
  token: string | null
  /** The face for the token. */
  fullFace: Face
  /** The face for a key. */
  faceFor(key: TeamKey): Face
}

export type TeamSite = Pick<Site<Member>, 'checkKey' | 'isOpen' | 'keyHint' | 'faceAt' | 'callerOf'>

/** Serves documentation over HTTP. Each key sees only its own libraries and tools. */
export function teamSite({ ring, limits, token, fullFace, faceFor }: TeamSiteOptions): TeamSite {
  const tokenLock = openKeyCheck<Member>(token === null ? [] : [{ secret: token, key: null }])
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

/** Whether the client may read the server's metrics. */
export function canReadMetrics(member: Member | null): boolean {
  return member !== null && (member.key === null || member.key.may.includes('metrics'))
}

export function callerOf(key: LiveKey, limits: KeyLimits): Caller {
  return { name: key.name, revoked: key.revoked, wait: (requests) => limits(key, requests) }
}
