import { OgError } from '../../platform/error.ts'
import type { Endpoint } from '../../platform/reach.ts'

/**
 * Refuses an address that git must not be given. Allowed are an absolute path, scp form, or a URL
 * of a transport that runs no command. Stored sources come from files that others wrote, so the
 * callers of git check again.
 */
export function checkRepositoryUrl(url: string): void {
  const refuse = (why: string, hint?: string) => {
    throw new OgError(`Cannot use ${JSON.stringify(url)} as a git repository: ${why}`, { hint })
  }
  if (url.startsWith('-')) refuse('it looks like an option')
  if (/^[a-z0-9+.-]+::/i.test(url)) refuse('remote helpers (name::address) can run commands')
  if (isAbsolutePath(url)) return url.includes('\0') ? refuse('it contains a NUL') : undefined
  if (/[\0-\x1f\x7f]/.test(url)) refuse('it contains a control character')
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase()
  if (scheme === undefined && !isScpForm(url)) refuse('it is neither an address nor a path')
  if (scheme !== undefined && !schemes.has(scheme)) {
    refuse(`${scheme}:// is not supported`, 'use https, ssh, git or file')
  }
  const host = /^(?:[^/]*:\/\/)?(?:[^/@]*@)?([^/:]*)/.exec(url)?.[1]
  const user = /^(?:[^/]*:\/\/)?([^/@]*)@/.exec(url)?.[1]
  if (host?.startsWith('-') || user?.startsWith('-')) refuse('its host looks like an option')
}

const schemes = new Set(['https', 'http', 'ssh', 'git', 'git+ssh', 'ssh+git', 'file'])

/** `host:path` or `user@host:path`, where no slash comes before the colon. */
export function isScpForm(typed: string): boolean {
  return /^(?:[^\s:/@]+@)?(?:\[[^\]]+\]|[^\s:/@]+):(?!\/\/)[^\s]/.test(typed)
}

/** A path on this disk, not an address. */
export function isAbsolutePath(url: string): boolean {
  return url.startsWith('/') || (process.platform === 'win32' && /^[a-z]:[\\/]/i.test(url))
}

/** A repository on this disk: a path, or `file:`. */
export function isOnDisk(url: string): boolean {
  return isAbsolutePath(url) || /^file:/i.test(url)
}

/** The host that a repository's address, of any transport, leads to; null: it names none. */
export function remotePlace(url: string): Endpoint | null {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) {
    const host = /^(?:[^@/]*@)?(\[[^\]]+\]|[^:/]+):/.exec(url)?.[1]
    return host === undefined ? null : { protocol: 'ssh:', hostname: host, port: '' }
  }
  // `ssh:` and `git:` are no special schemes: as http a host is spelt out (`0x7f.1`).
  const asWeb = url.replace(/^[^:]*:/, 'http:')
  if (!URL.canParse(asWeb) || !URL.canParse(url)) return null
  const { protocol, port } = new URL(url)
  return { protocol, hostname: new URL(asWeb).hostname, port }
}

/** The address for messages, without password or token: messages end up in logs. */
export function shownUrl(url: string): string {
  return url.replace(/^(https?:\/\/)[^/]*@/i, '$1').replace(/^(\w+:\/\/)[^/@]*:[^/@]*@/i, '$1')
}
