import { trimEndCharacters } from '../platform/text/trim.ts'
import type { RefKind } from './source.ts'

/**
 * Returns the browser URL of a file at a ref. Uses GitHub's form for an unknown host, and
 * `file:///repository/REF/path` for a local repository. The URL is stable because it depends only
 * on the repository's URL, the ref and the path. It never contains a user name or password.
 */
export function fileAddress(
  url: string,
  path: string,
  at: { ref: string; refKind: RefKind },
): string {
  const place = `${encodePath(at.ref)}/${encodePath(path)}`
  if (isAbsolutePath(url)) return `${folderAddress(url)}/${place}`
  if (/^file:/i.test(url)) return `${trimEndCharacters(url, '/')}/${place}`
  const web = webAddress(url)
  const forge = forgeOf(web.hostname)
  const base = trimEndCharacters(web.href, '/').replace(/\.git$/, '')
  if (forge === 'gitlab') return `${base}/-/blob/${place}`
  if (forge === 'bitbucket') return `${base}/src/${place}`
  if (forge === 'gitea') return `${base}/src/${at.refKind}/${place}`
  return `${base}/blob/${place}`
}

export function folderAddress(path: string): string {
  const slashed = process.platform === 'win32' ? `/${path.replaceAll('\\', '/')}` : path
  return `file://${encodePath(trimEndCharacters(slashed, '/'))}`
}

/** Percent-encodes all characters that RFC 3986 forbids in a path, except `/`. */
export function encodePath(path: string): string {
  return encodeURIComponent(path.toWellFormed()).replace(
    /%(2F|40|3A|24|26|2B|2C|3B|3D)/g,
    (escaped) => decodeURIComponent(escaped),
  )
}

function webAddress(url: string): URL {
  const scp = isScpForm(url) && !url.includes('://')
  const [, host, path] = scp ? /^(?:[^@]*@)?(\[[^\]]+\]|[^:]+):\/?(.*)$/s.exec(url)! : []
  const address = new URL(scp ? `https://${host}/${encodePath(path!)}` : url.replace(/^git\+/, ''))
  const isWeb = /^https?:$/.test(address.protocol)
  const port = isWeb && address.port ? `:${address.port}` : ''
  const scheme = isWeb ? address.protocol : 'https:'
  return new URL(`${scheme}//${canonicalHost(address.hostname)}${port}${address.pathname}`)
}

/** Decodes percent-encoding. Keeps a `%` that does not begin a valid escape. */
export function decodePercent(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  )
}

/** How a web host writes the URL of a file at a ref. `plain` is a git host without such pages. */
export type Forge = 'github' | 'gitlab' | 'bitbucket' | 'gitea' | 'plain'

const forges = new Map<string, Forge>(
  Object.entries({
    'github.com': 'github',
    'gitlab.com': 'gitlab',
    'bitbucket.org': 'bitbucket',
    'codeberg.org': 'gitea',
    'gitea.com': 'gitea',
    'salsa.debian.org': 'gitlab',
    'invent.kde.org': 'gitlab',
    'gist.github.com': 'plain',
  }),
)

/** Self-hosted forges are recognised by their first label, as in `gitlab.example.org`. */
const labels = new Map<string, Forge>(
  Object.entries({
    github: 'github',
    gitlab: 'gitlab',
    gitea: 'gitea',
    forgejo: 'gitea',
    git: 'plain',
  }),
)

export function forgeOf(hostname: string): Forge | null {
  const host = canonicalHost(hostname)
  return forges.get(host) ?? labels.get(/^([^.]+)\..+\./.exec(host)?.[1] ?? '') ?? null
}

/** Returns the host name without prefixes such as `www.` that serve the same content. */
export function canonicalHost(hostname: string): string {
  const host = hostname.toLowerCase()
  const bare = host.replace(/^(www|ssh|altssh)\./, '')
  return forges.has(bare) ? bare : host
}

/** True if text has the form `host:path` or `user@host:path`, with no slash before the colon. */
export function isScpForm(text: string): boolean {
  return /^(?:[^\s:/@]+@)?(?:\[[^\]]+\]|[^\s:/@]+):(?!\/\/)[^\s]/.test(text)
}

export function isAbsolutePath(url: string): boolean {
  return url.startsWith('/') || (process.platform === 'win32' && /^[a-z]:[\\/]/i.test(url))
}
