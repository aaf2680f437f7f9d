import { OgError } from '../../platform/error.ts'
import type { Endpoint } from '../../platform/reach.ts'
import { isScpForm, isAbsolutePath } from '../page-address.ts'

/**
 * Refuses a URL that must not be passed to git. Allows an absolute path, the scp form, and URLs of
 * transports that run no command. git's callers check again because stored sources come from files
 * that others may have written.
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

export function isOnDisk(url: string): boolean {
  return isAbsolutePath(url) || /^file:/i.test(url)
}

export function remoteEndpoint(url: string): Endpoint | null {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) {
    const host = /^(?:[^@/]*@)?(\[[^\]]+\]|[^:/]+):/.exec(url)?.[1]
    return host === undefined ? null : { protocol: 'ssh:', hostname: host, port: '' }
  }
  // URL parsers normalise a host (`0x7f.1`) only in http URLs, but not in `ssh:` and `git:` URLs.
  const asWeb = url.replace(/^[^:]*:/, 'http:')
  if (!URL.canParse(asWeb) || !URL.canParse(url)) return null
  const { protocol, port } = new URL(url)
  return { protocol, hostname: new URL(asWeb).hostname, port }
}

/** Returns the URL for messages, without password or token, because messages may be logged. */
export function withoutCredentials(url: string): string {
  return url.replace(/^(https?:\/\/)[^/]*@/i, '$1').replace(/^(\w+:\/\/)[^/@]*:[^/@]*@/i, '$1')
}
