import { isAbsolute, relative, sep } from 'node:path'
import { openAddressRule, type HostLookup } from '../../platform/web/address-rule.ts'
import { OgError } from '../../platform/error.ts'
import { NetworkError } from '../../platform/web/http.ts'
import { isProxied } from '../../platform/web/web.ts'
import type { Reach } from '../../platform/reach.ts'
import { beginsWithForge } from '../../source/git/address.ts'
import { detectSource, resolveInputPath, type DetectOptions } from '../../source/detect.ts'
import { openGitGuide } from '../../source/git/git-route.ts'
import { isOnDisk } from '../../source/git/repository-url.ts'
import { displaySource, type Source } from '../../store/source.ts'
import { isOutside, localPath } from '../sources/source-trust.ts'
import { isScpForm } from '../../source/page-address.ts'

type Naming = DetectOptions & { reach: Reach; lookup?: HostLookup }

/** Detects an agent's source. @throws OgError if the text is not an allowed source */
export async function parseAgentSource(text: string, options: Naming): Promise<Source> {
  refuseAddress(text, options)
  const { source } = detectSource(text, options)
  await checkAgentSource(source, options.reach, options.lookup)
  return source
}

/**
 * Rejects sources that an agent or a project's sources.json must not name: private hosts that are
 * not allowed, ssh and git:// to any other host, folders and archives outside the project, and
 * local repositories.
 */
export async function checkAgentSource(
  source: Source,
  reach: Reach,
  lookup?: HostLookup,
): Promise<void> {
  if (source.kind === 'raw_pages') throw noFolder(source.path, reach)
  const path = localPath(source)
  if (path !== null) {
    const isInside = reach.folder !== null && !(await isOutside(path, reach.folder))
    if (!isInside) throw noFolder(path, reach)
    return
  }
  if (isOnDisk(displaySource(source))) throw noRepository(displaySource(source))
  await checkHost(source, reach, lookup)
}

/**
 * Rejects a host that an agent must not reach, even if a person entered the source. Local sources
 * have no host and pass.
 */
export async function checkHost(source: Source, reach: Reach, lookup?: HostLookup): Promise<void> {
  // The user's settings select the registry of a package. URLs in its metadata are checked when
  // they are read.
  if (source.kind === 'package') return
  const place = displaySource(source)
  if ('path' in source || isOnDisk(place)) return
  const isKnownProxied = (url: URL) => isProxied(url, process.env)
  const rule = openAddressRule({ reach, lookup, isProxied: isKnownProxied })
  const check =
    source.kind === 'git_repo'
      ? openGitGuide(place, { reach, lookup }, async () => null).first()
      : rule.addresses(new URL(place))
  // An unknown host is reported when it is read.
  await check.catch((error) => {
    if (!(error instanceof NetworkError)) throw error
  })
}

/**
 * Rejects a path by its text alone. Checking whether the path exists would reveal that to the
 * agent, and would open a connection on some systems (`\\host\share`).
 */
function refuseAddress(text: string, { reach, cwd, home }: Naming): void {
  if (/^file:/i.test(text)) throw noRepository(text)
  if (/^[a-z0-9+.-]+:(:|\/\/)/i.test(text)) return
  const { folder } = reach
  const mayBeHost = text.startsWith('-') || beginsWithForge(text) || isScpForm(text)
  const isOut = leaves(folder ?? cwd, resolveInputPath(text, { cwd, home }))
  if (isOut || (folder === null && !mayBeHost)) throw noFolder(text, reach)
}

function leaves(folder: string, path: string): boolean {
  const below = relative(folder, path)
  return below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)
}

function noFolder(path: string, { folder }: Reach): OgError {
  const which = folder === null ? 'no folder or file here' : `only what lies in ${folder}`
  return new OgError(`Cannot use ${JSON.stringify(path)} as a source: an agent may name ${which}`, {
    hint: 'a person can index it: og add NAME --source PATH',
  })
}

function noRepository(url: string): OgError {
  const why = 'an agent may name only remote repositories'
  return new OgError(`Cannot use ${JSON.stringify(url)} as a source: ${why}`, {
    hint: 'a person can index it: og add NAME --source PATH',
  })
}
