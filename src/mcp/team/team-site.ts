import type { FaceOptions } from '../face.ts'
import { bearerOf, openLock, unauthorized, type Caller } from '../http/http-gate.ts'
import type { Site } from '../http/site.ts'
import type { Face } from '../server.ts'
import type { KeyLimits } from './key-limits.ts'
import type { KeyRing, LiveKey } from './key-ring.ts'
import { libraryMatcher, type TeamKey } from './team-key.ts'

/** Who calls: with a key of the file, or with the one token of the server, which may do all. */
export type Member = { secret: string; key: LiveKey | null }

/** What somebody may see and do of the server; the same for all whose keys say so. */
export type Share = Required<Pick<FaceOptions, 'isSeen' | 'allowIngest'>>

/** A thing for each share, made when it is first asked for and kept. */
export type ByShare<T> = ((key: Pick<TeamKey, 'libraries' | 'may'>) => T) & { all(): T[] }

/** Kept are those that were asked for last, so that ten thousand keys take no memory for ever. */
export function byShare<T>(make: (share: Share) => T, most = 1_000): ByShare<T> {
  const made = new Map<string, T>()
  const one = ({ libraries, may }: Pick<TeamKey, 'libraries' | 'may'>): T => {
    const names = [...new Set(libraries.map((name) => name.toLowerCase()))].sort()
    const allowIngest = may.includes('ingest')
    const id = JSON.stringify([names, allowIngest])
    const own = made.get(id) ?? make({ isSeen: libraryMatcher(names), allowIngest })
    made.delete(id)
    made.set(id, own)
    if (made.size > most) made.delete(made.keys().next().value ?? '')
    return own
  }
  return Object.assign(one, { all: () => [...made.values()] })
}

export type TeamSiteOptions = {
  ring: KeyRing
  limits: KeyLimits
  /** Of the server; null: there are keys of the file alone. */
  token: string | null
  /** Of who has the token. */
  whole: Face
  /** Of who has a key. */
  faceFor(key: TeamKey): Face
}

export type TeamSite = Pick<Site<Member>, 'lock' | 'isOpen' | 'keyHint' | 'faceAt' | 'callerOf'>

/** Documentation over HTTP, for each key as much as it may have. */
export function teamSite({ ring, limits, token, whole, faceFor }: TeamSiteOptions): TeamSite {
  const tokenLock = openLock<Member>(token === null ? [] : [{ secret: token, key: null }])
  return {
    isOpen: false,
    keyHint: 'og keys add makes one',
    lock(request) {
      const sent = bearerOf(request)
      const key = sent === null ? null : ring.find(sent)
      if (key !== null) return { key: { secret: '', key } }
      return token === null ? unauthorized() : tokenLock(request)
    },
    faceAt(name, member) {
      if (name !== null || member === null) return null
      if (member.key === null) return whole
      return member.key.may.includes('search') ? faceFor(member.key) : null
    },
    callerOf: (member) => (member?.key ? callerOf(member.key, limits) : null),
  }
}

/** Whether who comes with a key may read how the server does. */
export function mayMeasure(member: Member | null): boolean {
  return member !== null && (member.key === null || member.key.may.includes('metrics'))
}

export function callerOf(key: LiveKey, limits: KeyLimits): Caller {
  return { name: key.name, revoked: key.revoked, wait: (requests) => limits(key, requests) }
}
