/** How a web host writes the URL of a file at a ref; `plain` is a git host without such pages. */
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

/** The host name without a prefix, such as `www.`, under which a forge serves the same content. */
export function canonicalHost(hostname: string): string {
  const host = hostname.toLowerCase()
  const bare = host.replace(/^(www|ssh|altssh)\./, '')
  return forges.has(bare) ? bare : host
}
