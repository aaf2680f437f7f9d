import { trimEndCharacters } from '../platform/text/trim.ts'
import { forgeOf, canonicalHost } from './git/forge.ts'
import { isAbsolutePath, isScpForm } from './git/repository-url.ts'
import type { RefKind } from './source.ts'

/**
 * Returns the browser URL of a file at a ref: in GitHub's form for an unknown host, and
 * `file:///repository/REF/path` for a local repository. It is stable, because it depends only on
 * the repository's URL, the ref and the path. It never contains a user name or password.
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
