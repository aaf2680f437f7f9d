import { OgError } from '../../platform/error.ts'
import { trimEndCharacters } from '../../platform/text/trim.ts'
import { decodePercent, forgeOf, canonicalHost, type Forge } from '../page-address.ts'

/**
 * Returns the repository of an http(s) URL, or null if the URL alone does not determine it.
 * Recognises a forge by its host, never by a part of the path: `docs.github.com` is not a forge.
 * @throws OgError for a URL on a forge that is neither a repository nor a path in one
 */
export function repositoryOf(address: URL): { url: string; refPath: string | null } | null {
  const parts = address.pathname.split('/').filter((part) => part !== '')
  const forge = forgeOf(address.hostname)
  const split = splitAtRef(parts, forge)
  if (split) {
    const path = split.repository.join('/').replace(/\.git$/, '')
    return { url: `${originOf(address)}/${path}.git`, refPath: decodePercent(split.refPath) }
  }
  const url = originOf(address) + trimEndCharacters(address.pathname, '/')
  if (url.endsWith('.git') || parts.includes('_git')) return { url, refPath: null }
  if (forge === null || parts.length < (forge === 'plain' ? 1 : 2)) return null
  if (/\.xml$/i.test(url)) return null
  const nests = forge === 'plain' || (forge === 'gitlab' && !parts.includes('-'))
  if (parts.length === 2 || nests) return { url, refPath: null }
  throw new OgError(`Cannot use "${address.href}": it names no repository, folder or file`, {
    hint: `the repository is ${originOf(address)}/${parts.slice(0, 2).join('/')}`,
  })
}

/** True if text without a scheme, such as `github.com/owner/name`, begins with a forge. */
export function beginsWithForge(text: string): boolean {
  const host = /^([a-z0-9.-]+\.[a-z]+)\/[^/]/i.exec(text)?.[1]
  return host !== undefined && forgeOf(host) !== null
}

function originOf(address: URL): string {
  const user = address.username + (address.password ? `:${address.password}` : '')
  const host = canonicalHost(address.hostname) + (address.port ? `:${address.port}` : '')
  return `${address.protocol}//${user ? `${user}@` : ''}${host}`
}

type Split = { repository: string[]; refPath: string }

/** Splits a path before the ref. GitLab puts `-` before the word that precedes the ref. */
function splitAtRef(parts: string[], forge: Forge | null): Split | null {
  const dash = parts.indexOf('-')
  if (dash >= 2) return splitAt(parts, dash, /^-\/(?:tree|blob|raw|tags|releases)\//)
  if (forge === 'github') return splitAt(parts, 2, /^(?:tree|blob|raw|edit|releases\/tag)\//)
  if (forge === 'gitlab') {
    return splitAt(
      parts,
      parts.findIndex((part, at) => at >= 2 && /^(tree|blob)$/.test(part)),
      /^(?:tree|blob)\//,
    )
  }
  if (forge === 'bitbucket') return splitAt(parts, 2, /^src\//)
  if (forge === 'gitea') {
    return splitAt(parts, 2, /^(?:(?:src|raw)\/(?:branch|tag|commit)|releases\/tag)\//)
  }
  return null
}

function splitAt(parts: string[], at: number, words: RegExp): Split | null {
  const rest = parts.slice(at).join('/')
  if (at < 0 || !words.test(rest)) return null
  return { repository: parts.slice(0, at), refPath: rest.replace(words, '') }
}

/**
 * Returns the repository in a package's metadata as an http(s) URL, because untrusted metadata must
 * not make git use a different protocol. `github:owner/name`, `owner/name`, `git+ssh://…` and the
 * scp form become the host's web URL. Returns null if the metadata names no repository.
 */
export function repositoryAddress(text: string): { url: string; directory: string | null } | null {
  const spelling = text
    .trim()
    .replace(/^scm:/, '')
    .replace(/^git:(?!\/\/)/, '')
    .replace(/^git\+/, '')
  const url = webForm(spelling)
  if (url === null || !URL.canParse(url)) return null
  const address = new URL(url)
  address.hash = address.search = ''
  const repository = repositoryIn(address)
  if (repository === null) return { url: address.href.replace(/\/+$/, ''), directory: null }
  // Drop the ref after `/tree/`: it is the author's newest one, not the requested version.
  const below = repository.refPath?.split('/').slice(1).join('/')
  return { url: repository.url, directory: below || null }
}

function repositoryIn(address: URL) {
  try {
    return repositoryOf(address)
  } catch {
    // This is another page on a forge, such as the issues. The first two path segments name the
    // repository.
    const path = address.pathname.split('/').slice(1, 3).join('/')
    return { url: `${address.origin}/${path}`, refPath: null }
  }
}

const hosts: Record<string, string> = {
  github: 'github.com',
  gitlab: 'gitlab.com',
  bitbucket: 'bitbucket.org',
  gist: 'gist.github.com',
}

function webForm(spelling: string): string | null {
  const short = /^(?:(github|gitlab|bitbucket|gist):)?([\w.-]+\/[\w.-]+)$/.exec(spelling)
  const [, host = 'github', path] = short ?? []
  if (path !== undefined && !beginsWithForge(spelling)) return `https://${hosts[host]}/${path}`
  if (/^https?:\/\//i.test(spelling)) return spelling
  const other =
    /^(?:git|ssh):\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+)$/i.exec(spelling) ??
    /^(?:[^@/:\s]+@)?([^/:@\s]+\.[^/:@\s]+):([^\s]+)$/.exec(spelling)
  if (other) return `https://${other[1]}/${other[2]}`
  return beginsWithForge(spelling) ? `https://${spelling}` : null
}
