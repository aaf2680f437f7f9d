import { beginsWithForge, repositoryOf } from '../git/address.ts'

type RepositoryLocation = { url: string; directory: string | null }

/**
 * The repository from a package's metadata, as an http(s) URL, because untrusted metadata must not
 * make git use another protocol. `github:owner/name`, `owner/name`, `git+ssh://…` and the scp form
 * become the host's web URL. Null if the metadata names none.
 */
export function repositoryAddress(text: string): RepositoryLocation | null {
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
  // Drops the ref after `/tree/`, because it is the author's newest one, not the requested version.
  const below = repository.refPath?.split('/').slice(1).join('/')
  return { url: repository.url, directory: below || null }
}

function repositoryIn(address: URL) {
  try {
    return repositoryOf(address)
  } catch {
    // Another page on a forge, such as the issues. The first two path segments name the repository.
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
