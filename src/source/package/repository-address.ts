import { beginsWithForge, repositoryOf } from '../git/address.ts'

type PlaceOfRepository = { url: string; directory: string | null }

/**
 * The repository from a package's metadata, as an http(s) URL, because strangers must not make git
 * use another protocol. `github:owner/name`, `owner/name`, `git+ssh://…` and the scp form become
 * the host's web URL. Null if it names none.
 */
export function repositoryAddress(text: string): PlaceOfRepository | null {
  const typed = text
    .trim()
    .replace(/^scm:/, '')
    .replace(/^git:(?!\/\/)/, '')
    .replace(/^git\+/, '')
  const url = webForm(typed)
  if (url === null || !URL.canParse(url)) return null
  const address = new URL(url)
  address.hash = address.search = ''
  const named = namedRepository(address)
  if (named === null) return { url: address.href.replace(/\/+$/, ''), directory: null }
  // Drops the ref after `/tree/`: it is the author's newest, not the requested version.
  const below = named.refPath?.split('/').slice(1).join('/')
  return { url: named.url, directory: below || null }
}

function namedRepository(address: URL) {
  try {
    return repositoryOf(address)
  } catch {
    // Another page of a forge, such as the issues. The first two path segments are the repository.
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

function webForm(typed: string): string | null {
  const short = /^(?:(github|gitlab|bitbucket|gist):)?([\w.-]+\/[\w.-]+)$/.exec(typed)
  const [, host = 'github', path] = short ?? []
  if (path !== undefined && !beginsWithForge(typed)) return `https://${hosts[host]}/${path}`
  if (/^https?:\/\//i.test(typed)) return typed
  const other =
    /^(?:git|ssh):\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+)$/i.exec(typed) ??
    /^(?:[^@/:\s]+@)?([^/:@\s]+\.[^/:@\s]+):([^\s]+)$/.exec(typed)
  if (other) return `https://${other[1]}/${other[2]}`
  return beginsWithForge(typed) ? `https://${typed}` : null
}
